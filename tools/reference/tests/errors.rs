//! Error bounds: results of an engine that rounds differently must be accepted, wrong ones rejected.
use super::*;
use crate::{compare::compare, program, signature};

/// The result of a program on one array, with its error bounds.
fn followed(program: &str, input: Array) -> Buffer {
    let context = program::context();
    let module = program::parse(&context, program.as_bytes()).unwrap();
    let function = signature::find(ir::op(module.as_operation()), None).unwrap();
    evaluate_with_errors(function, vec![input], &|_| {}).unwrap().results.remove(0)
}

/// A program that applies a scalar function to each element, and combines or concatenates the results.
fn program(operator: &str, function: &str, size: usize) -> String {
    let (kept, map, result) = if operator == "cc" { (size, "i", format!("{size}x")) } else { (1, "", String::new()) };
    format!(
        "func.func @f(%x: tensor<{size}xf32>) -> tensor<{result}f32> {{
          %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<{size}xf32>) -> !mdh.mda<{size}, f32>
          %r = mdh.hom.md_hom %in combine [#mdh.{operator}] {{
          ^bb0(%a: f32):
            {function}
            mdh.hom.yield %y : f32
          }} : !mdh.mda<{size}, f32> -> !mdh.mda<{kept}, f32>
          %w = mdh.view.out_view %r[affine_map<(i) -> ({map})>] : !mdh.mda<{kept}, f32> -> tensor<{result}f32>
          return %w : tensor<{result}f32>
        }}"
    )
}

fn floats(shape: &[usize], values: &[f32]) -> Array {
    let mut array = Array::filled(Element::F32, shape, 0).unwrap();
    values.iter().enumerate().for_each(|(i, value)| array.set(i, value.to_bits().into()));
    array
}

fn agrees(expected: &Buffer, values: &[f32]) -> bool {
    compare(&floats(&expected.array.shape, values), expected).problem.is_none()
}

#[test]
fn a_map_is_held_to_a_few_numbers_next_to_its_result() {
    let inputs = [1e-10f32, 1e-4, -3.0];
    let expected = followed(&program("cc", "%y = math.expm1 %a : f32", 3), floats(&[3], &inputs));
    assert!(agrees(&expected, &inputs.map(f32::exp_m1)));
    assert!(agrees(&expected, &inputs.map(|x| x.exp_m1() * (1.0 + 2.0 * f32::EPSILON))));
    // The first result has no correct digit, the second one half of them.
    assert!(!agrees(&expected, &inputs.map(|x| x.exp() - 1.0)));
    assert!(!agrees(&expected, &[1e-10, 1e-4f32.exp() - 1.0, (-3f32).exp_m1()]));
}

#[test]
fn sums_may_be_put_together_in_any_order() {
    let values: Vec<f32> = (0..1000).map(|i| ((i * 7919) % 1000) as f32 * 1.1 - 500.0).collect();
    let expected = followed(&program("pw<add>", "%y = arith.addf %a, %a : f32", 1000), floats(&[1000], &values));
    let twice: Vec<_> = values.iter().map(|value| value + value).collect();
    let mut lanes = [0f32; 8];
    twice.iter().enumerate().for_each(|(i, value)| lanes[i % 8] += value);
    assert!(agrees(&expected, &[twice.iter().rev().sum::<f32>()]));
    assert!(agrees(&expected, &[lanes.iter().sum::<f32>()]));
    // The bound is 1000 roundings of a sum of magnitudes of half a million.
    let sum: f32 = twice.iter().sum();
    assert!(!agrees(&expected, &[sum + 200.0]));
    assert!(!agrees(&expected, &[f32::NAN]));
}

#[test]
fn what_is_not_rounded_is_exact() {
    let inputs = [0.0, -0.0, 1.5];
    let largest = followed(&program("pw<max>", "%y = arith.negf %a : f32", 3), floats(&[3], &inputs));
    assert!(agrees(&largest, &[0.0]) && !agrees(&largest, &[-0.0]) && !agrees(&largest, &[f32::from_bits(1)]));
    let sum = followed(&program("pw<add>", "%y = arith.mulf %a, %a : f32", 3), floats(&[3], &inputs));
    assert!(agrees(&sum, &[2.25]) && !agrees(&sum, &[2.2501]));
}

#[test]
fn errors_go_through_what_follows() {
    // The logarithm near 1 cancels the digits that its operand has in common with 1.
    let function =
        "%u = math.exp %a : f32\n%v = math.exp %u : f32\n%l = math.log %v : f32\n%y = arith.subf %l, %u : f32";
    let expected = followed(&program("cc", function, 1), floats(&[1], &[0.5]));
    assert!(agrees(&expected, &[1e-6]) && agrees(&expected, &[-1e-6]) && !agrees(&expected, &[1e-4]));
    // Near a step, the error of a number may decide on which side it is; far from it, it must not.
    let function = "%u = math.exp %a : f32\n%y = math.floor %u : f32";
    let expected = followed(&program("cc", function, 2), floats(&[2], &[std::f32::consts::LN_2, 0.5]));
    assert!(agrees(&expected, &[1.0, 1.0]) && agrees(&expected, &[2.0, 1.0]) && !agrees(&expected, &[2.0, 2.0]));
}

#[test]
fn functions_are_held_to_what_is_promised_of_them() {
    let off = |name: &str, count: f32| {
        let expected = followed(&program("cc", &format!("%y = math.{name} %a : f32"), 1), floats(&[1], &[1.25]));
        let value = f32::from_bits(expected.array.get(0) as u32);
        agrees(&expected, &[value * (1.0 + count * f32::EPSILON)])
    };
    assert!(off("exp", 3.0) && !off("exp", 6.0));
    assert!(off("erf", 16.0) && !off("erf", 20.0));
    assert!(!off("ceil", 1.0));
}

#[test]
fn integer_powers_are_as_exact_as_their_factors() {
    let power = |base: f32, exponent: i32| {
        let function = format!("%n = arith.constant {exponent} : i32\n%y = math.fpowi %a, %n : f32, i32");
        followed(&program("cc", &function, 1), floats(&[1], &[base]))
    };
    let product = |base: f32, count: usize| std::iter::repeat_n(base, count).product::<f32>();
    let expected = power(1.01, 5000);
    assert!(agrees(&expected, &[product(1.01, 5000)]) && !agrees(&expected, &[product(1.01, 5001)]));
    // The reciprocal of a subnormal power overflows.
    assert!(agrees(&power(10.0, -40), &[0.0]) && !agrees(&power(10.0, -30), &[0.0]));
}
