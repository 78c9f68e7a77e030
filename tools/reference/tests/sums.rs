//! Error bounds of long sums: other orders are accepted, wrong sums are not, and what a type cannot hold is not checked.
use super::*;
use crate::{
    compare::{Coverage, compare},
    program, signature,
};

/// The sum of numbers of a type, with its error bound.
fn sum(element: Element, values: &[f64]) -> Buffer {
    let size = values.len();
    let text = format!(
        "func.func @f(%x: tensor<{size}x{element}>) -> tensor<1x{element}> {{
          %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<{size}x{element}>) -> !mdh.mda<{size}, {element}>
          %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {{
          ^bb0(%a: {element}):
            mdh.hom.yield %a : {element}
          }} : !mdh.mda<{size}, {element}> -> !mdh.mda<1, {element}>
          %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<1, {element}> -> tensor<1x{element}>
          return %w : tensor<1x{element}>
        }}"
    );
    let context = program::context();
    let module = program::parse(&context, text.as_bytes()).unwrap();
    let function = signature::find(ir::op(module.as_operation()), None).unwrap();
    let input = array(&element.to_string(), &[size], values);
    evaluate_with_errors(function, vec![input], &|_| {}).unwrap().results.remove(0)
}

fn is_accepted(expected: &Buffer, value: f64) -> bool {
    compare(&array(&expected.array.element.to_string(), &[1], &[value]), expected).problem.is_none()
}

#[test]
fn sums_of_small_integers_are_exact() {
    for (element, largest) in
        [(Element::F16, 2048), (Element::Bf16, 256), (Element::F32, 100_000), (Element::F64, 1000)]
    {
        let expected = sum(element, &vec![1.0; largest]);
        let count = largest as f64;
        assert!(is_accepted(&expected, count));
        assert!(!is_accepted(&expected, 0.0) && !is_accepted(&expected, 0.99 * count), "{element}");
        assert_eq!(Coverage::of_buffer(&expected).tolerated, 0.0);
    }
}

#[test]
fn the_bound_of_long_sums_grows_with_the_square_root() {
    let random = |i: usize| f64::from((i as u32).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
    for (element, count, tolerated) in [
        (Element::F16, 500, 0.05),
        (Element::Bf16, 60, 0.15),
        (Element::F32, 100_000, 2e-4),
        (Element::F64, 20_000, 1e-11),
    ] {
        let values: Vec<_> = (0..count).map(|i| element.to_f64(element.from_f64(random(i)))).collect();
        let expected = sum(element, &values);
        let exact: f64 = values.iter().sum();
        assert!(is_accepted(&expected, exact), "{element}");
        assert!(!is_accepted(&expected, 0.0) && !is_accepted(&expected, 0.8 * exact), "{element}");
        let coverage = Coverage::of_buffer(&expected);
        assert!(coverage.unchecked == 0 && coverage.tolerated < tolerated, "{element}: {coverage:?}");
    }
}

#[test]
fn equal_addends_are_rounded_alike() {
    // 0.1 and 0.1 and so on, in f32: the error is proportional to the number of roundings.
    let tenth = f64::from(0.1f32);
    let expected = sum(Element::F32, &vec![tenth; 100_000]);
    assert!(is_accepted(&expected, 100_000.0 * tenth) && !is_accepted(&expected, 9_900.0));
}

#[test]
fn what_a_type_cannot_hold_is_not_checked() {
    // Additions of 1 to 2048 are lost in f16, those to 256 in bf16, and 80,000 is beyond f16.
    for (element, count, value) in [(Element::F16, 5000, 1.0), (Element::Bf16, 2000, 1.0), (Element::F16, 80, 1000.0)] {
        let expected = sum(element, &vec![value; count]);
        assert_eq!(Coverage::of_buffer(&expected).unchecked, usize::from(value == 1.0), "{element}");
        assert!(is_accepted(&expected, count as f64 * value), "{element}");
    }
    // Of two signs, the order decides whether a sum overflows.
    let values: Vec<_> = (0..200).map(|i| if i < 100 { 1000.0 } else { -1000.0 }).collect();
    assert_eq!(Coverage::of_buffer(&sum(Element::F16, &values)).unchecked, 1);
}
