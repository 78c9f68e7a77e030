//! Whole programs against results computed by hand.
mod aliases;
mod around;
mod counted;
mod errors;
mod sums;

use super::*;
use crate::{
    array::{Element, Slot},
    program, signature,
};

/// Evaluates the only public function of a program.
fn outcome(source: &str, arguments: Vec<Array>) -> Result<ReferenceOutcome, String> {
    let context = program::context();
    let mut module = program::parse(&context, source.as_bytes()).map_err(|error| error.to_string())?;
    program::run(&context, &mut module, "builtin.module(mdh-expand-compute,mdh-capture-scalars)")
        .map_err(|error| error.to_string())?;
    let function = signature::find(ir::op(module.as_operation()), None).map_err(|error| error.to_string())?;
    evaluate(function, arguments, &|_| {}).map_err(|failure| failure.message)
}

fn array(element: &str, shape: &[usize], values: &[f64]) -> Array {
    let mut array = Array::filled(Element::from_name(element).unwrap(), shape, 0).unwrap();
    values.iter().enumerate().for_each(|(i, value)| array.set(i, array.element.from_f64(*value)));
    array
}

fn values(buffer: &Buffer) -> Vec<f64> {
    (0..buffer.array.len()).map(|i| buffer.array.element.to_f64(buffer.array.get(i))).collect()
}

/// A function on an i32 matrix with one i32 output.
fn on_matrix(operators: &str, kept: &str, output: &str, result: &str) -> String {
    format!(
        "func.func @f(%x: tensor<?x?xi32>) -> {result} {{
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<?x?xi32>) -> !mdh.mda<?x?, i32>
  %res = mdh.hom.md_hom %in combine [{operators}] {{
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  }} : !mdh.mda<?x?, i32> -> !mdh.mda<{kept}, i32>
  %out = mdh.view.out_view %res[affine_map<(i, j) -> ({output})>] : !mdh.mda<{kept}, i32> -> {result}
  return %out : {result}
}}"
    )
}

/// Evaluates at most about 100 points of a program on a 100x4 matrix of different numbers.
fn sampled(source: &str) -> Buffer {
    let context = program::context();
    let mut module = program::parse(&context, source.as_bytes()).unwrap();
    program::run(&context, &mut module, "builtin.module(mdh-expand-compute,mdh-capture-scalars)").unwrap();
    let function = signature::find(ir::op(module.as_operation()), None).unwrap();
    let rows: Vec<_> = (0..400).map(f64::from).collect();
    let matrix = array("i32", &[100, 4], &rows);
    evaluate_part(function, vec![matrix], 100, &|_| {}).unwrap().results.remove(0)
}

#[test]
fn a_sample_has_the_same_elements() {
    let some = sampled(&on_matrix("#mdh.cc, #mdh.pw<add>", "?x1", "i", "tensor<?xi32>"));
    let defined = some.defined.clone().unwrap();
    let count = defined.iter().filter(|is_defined| **is_defined).count();
    assert!(defined[0] && defined[99] && (8..=25).contains(&count), "{count}");
    let sum = |row: usize| (16 * row + 6) as Slot;
    assert!((0..100).filter(|i| defined[*i]).all(|i| some.array.get(i) == sum(i)));
}

#[test]
fn results_that_a_caller_may_read_are_complete() {
    let rows = on_matrix("#mdh.cc, #mdh.pw<add>", "?x1", "i", "tensor<?xi32>");
    let source = format!(
        "{}
func.func @caller(%x: tensor<?x?xi32>) -> tensor<?xi32> {{
  %r = func.call @f(%x) : (tensor<?x?xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}}",
        rows.replace("func.func @f", "func.func private @f")
    );
    assert_eq!(sampled(&source).defined, None);
}

#[test]
fn operators_in_every_position() {
    let matrix = array("i32", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for (operators, kept, output, result, expected) in [
        ("#mdh.cc, #mdh.cc", "?x?", "j, i", "tensor<?x?xi32>", &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0][..]),
        ("#mdh.cc, #mdh.pw<add>", "?x1", "i", "tensor<?xi32>", &[6.0, 15.0]),
        ("#mdh.pw<add>, #mdh.cc", "1x?", "j", "tensor<?xi32>", &[5.0, 7.0, 9.0]),
        ("#mdh.pw<max>, #mdh.pw<max>", "1x1", "", "tensor<i32>", &[6.0]),
        ("#mdh.ps<add>, #mdh.pw<add>", "?x1", "i", "tensor<?xi32>", &[6.0, 21.0]),
        ("#mdh.cc, #mdh.ps<mul>", "?x?", "i, j", "tensor<?x?xi32>", &[1.0, 2.0, 6.0, 4.0, 20.0, 120.0]),
        ("#mdh.ps<add>, #mdh.cc", "?x?", "i, j", "tensor<?x?xi32>", &[1.0, 2.0, 3.0, 5.0, 7.0, 9.0]),
        ("#mdh.pw<add>, #mdh.ps<add>", "1x?", "j", "tensor<?xi32>", &[5.0, 12.0, 21.0]),
    ] {
        let outcome = outcome(&on_matrix(operators, kept, output, result), vec![matrix.clone()]);
        let outcome = outcome.unwrap_or_else(|message| panic!("{operators}: {message}"));
        assert_eq!(values(&outcome.results[0]), expected, "{operators}");
        assert_eq!(outcome.results[0].defined, None);
    }
}

#[test]
fn empty_dimensions() {
    let program = on_matrix("#mdh.cc, #mdh.pw<min>", "?x1", "i", "tensor<?xi32>");
    let identity = f64::from(i32::MAX);
    assert_eq!(values(&outcome(&program, vec![array("i32", &[2, 0], &[])]).unwrap().results[0]), [identity, identity]);
    assert_eq!(outcome(&program, vec![array("i32", &[0, 3], &[])]).unwrap().results[0].array.shape, [0]);
    let operator = "mdh.hom.operator @left commutative (%x: i32, %y: i32) -> (i32) { mdh.hom.yield %x : i32 }";
    let program = format!("{operator}\n{}", on_matrix("#mdh.cc, #mdh.pw<@left>", "?x1", "i", "tensor<?xi32>"));
    assert_eq!(values(&outcome(&program, vec![array("i32", &[1, 2], &[3.0, 4.0])]).unwrap().results[0]), [3.0]);
    assert_eq!(
        outcome(&program, vec![array("i32", &[2, 0], &[])]).unwrap_err(),
        "dimension 2 is empty and its operator has no identity"
    );
    assert!(outcome(&program, vec![array("i32", &[0, 0], &[])]).is_ok());
}

#[test]
fn operators_on_tuples() {
    // The maximum element and its index.
    let program = "mdh.hom.operator @later commutative (%a: i32, %i: i64, %b: i32, %j: i64) -> (i32, i64) {
  %greater = arith.cmpi sgt, %b, %a : i32
  %x, %n = scf.if %greater -> (i32, i64) {
    scf.yield %b, %j : i32, i64
  } else {
    scf.yield %a, %i : i32, i64
  }
  mdh.hom.yield %x, %n : i32, i64
}
func.func @f(%x: memref<4xi32>) -> (memref<i32>, memref<i64>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xi32>) -> !mdh.mda<4, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@later>] {
  ^bb0(%a: i32):
    %i = mdh.hom.index 0 : index
    %n = arith.index_cast %i : index to i64
    mdh.hom.yield %a, %n : i32, i64
  } : !mdh.mda<4, i32> -> !mdh.mda<1, i32, i64>
  %m, %n = mdh.view.out_view %res[affine_map<(i) -> ()>], [affine_map<(i) -> ()>]
      : !mdh.mda<1, i32, i64> -> memref<i32>, memref<i64>
  return %m, %n : memref<i32>, memref<i64>
}";
    let outcome = outcome(program, vec![array("i32", &[4], &[3.0, 9.0, -1.0, 9.0])]).unwrap();
    assert_eq!((values(&outcome.results[0]), values(&outcome.results[1])), (vec![9.0], vec![1.0]));
}

#[test]
fn symbols_with_escapes() {
    let operator = "mdh.hom.operator @\"gr\\C3\\B6\\C3\\9Fte\" commutative (%x: i32, %y: i32) -> (i32) {
  %m = arith.maxsi %x, %y : i32
  mdh.hom.yield %m : i32
}";
    let program = on_matrix("#mdh.cc, #mdh.pw<@\"größte\">", "?x1", "i", "tensor<?xi32>");
    let program = format!("{operator}\n{program}");
    assert_eq!(values(&outcome(&program, vec![array("i32", &[1, 3], &[3.0, 9.0, 4.0])]).unwrap().results[0]), [9.0]);
}

#[test]
fn control_flow_in_scalar_functions() {
    // Swaps in a loop, a loop of unknown length, and a call.
    let program = "func.func private @digits(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %rest, %count = scf.while (%r = %x, %n = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %r, %zero : i32
    scf.condition(%more) %r, %n : i32, i32
  } do {
  ^bb0(%r: i32, %n: i32):
    %quotient = arith.divsi %r, %ten : i32
    %next = arith.addi %n, %one : i32
    scf.yield %quotient, %next : i32, i32
  }
  return %count : i32
}
func.func @f(%x: tensor<3xi32>) -> tensor<3xi32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<3xi32>) -> !mdh.mda<3, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32):
    %digits = func.call @digits(%a) : (i32) -> i32
    %low = arith.constant 0 : index
    %step = arith.constant 1 : index
    %high = arith.index_cast %digits : i32 to index
    %zero = arith.constant 0 : i32
    %last, %other = scf.for %i = %low to %high step %step iter_args(%p = %zero, %q = %digits) -> (i32, i32) {
      scf.yield %q, %p : i32, i32
    }
    %hundred = arith.constant 100 : i32
    %scaled = arith.muli %digits, %hundred : i32
    %sum = arith.addi %scaled, %last : i32
    mdh.hom.yield %sum : i32
  } : !mdh.mda<3, i32> -> !mdh.mda<3, i32>
  %out = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<3, i32> -> tensor<3xi32>
  return %out : tensor<3xi32>
}";
    let outcome = outcome(program, vec![array("i32", &[3], &[7.0, 42.0, 123.0])]).unwrap();
    assert_eq!(values(&outcome.results[0]), [101.0, 200.0, 303.0]);
}

#[test]
fn what_is_not_written() {
    let view = |into: &str, result: &str| {
        format!(
            "  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<2xf32>) -> !mdh.mda<2, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {{
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  }} : !mdh.mda<2, f32> -> !mdh.mda<2, f32>
  %out = mdh.view.out_view %res[affine_map<(i) -> (2 * i + 1)>] {into} : !mdh.mda<2, f32>{result}"
        )
    };
    let x = array("f32", &[2], &[1.0, 2.0]);
    let program = format!(
        "func.func @f(%x: tensor<2xf32>) -> tensor<4xf32> {{\n{}\n  return %out : tensor<4xf32>\n}}",
        view("", " -> tensor<4xf32>")
    );
    let fresh = outcome(&program, vec![x.clone()]).unwrap();
    assert_eq!(fresh.results[0].defined, Some(vec![false, true, false, true]));
    let program = format!(
        "func.func @f(%x: tensor<2xf32>, %d: tensor<5xf32>) -> tensor<5xf32> {{\n{}\n  return %out : tensor<5xf32>\n}}",
        view("into %d", ", tensor<5xf32> -> tensor<5xf32>")
    );
    let updated = outcome(&program, vec![x, array("f32", &[5], &[7.0; 5])]).unwrap();
    assert_eq!(values(&updated.results[0]), [7.0, 1.0, 7.0, 2.0, 7.0]);
    assert_eq!(updated.results[0].defined, None);
    assert_eq!(values(&updated.arguments[1]), [7.0; 5]);
}

#[test]
fn memory_is_read_where_the_view_is_executed() {
    // The second computation reads what the first has written, through an MDA that was created before.
    let program = "func.func @f(%x: memref<3xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<3xf32>) -> !mdh.mda<3, f32>
  %double = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<3, f32> -> !mdh.mda<3, f32>
  mdh.view.out_view %double[affine_map<(i) -> (i)>] into %x : !mdh.mda<3, f32>, memref<3xf32>
  mdh.view.out_view %double[affine_map<(i) -> (i)>] into %x : !mdh.mda<3, f32>, memref<3xf32>
  return
}";
    let outcome = outcome(program, vec![array("f32", &[3], &[1.0, 2.0, 3.0])]).unwrap();
    assert_eq!(values(&outcome.arguments[0]), [4.0, 8.0, 12.0]);
}

#[test]
fn elements_computed_from_undefined_ones_are_undefined() {
    let program = "func.func @f(%n: index) -> (tensor<?xf32>, tensor<f32>) {
  %x = tensor.empty(%n) : tensor<?xf32>
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %sum = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %sum[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %x, %out : tensor<?xf32>, tensor<f32>
}";
    let outcome = outcome(program, vec![array("index", &[], &[3.0])]).unwrap();
    assert_eq!(outcome.results[0].defined, Some(vec![false; 3]));
    assert_eq!(outcome.results[1].defined, Some(vec![false]));
}

#[test]
fn what_the_evaluator_does_not_know_is_named() {
    let program = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = linalg.softmax dimension(0) ins(%x : tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}";
    let failure = outcome(program, vec![array("f32", &[2], &[0.0; 2])]).unwrap_err();
    assert_eq!(failure, "the reference evaluator cannot evaluate 'linalg.softmax'");
}

#[test]
fn element_types_are_those_of_their_names() {
    let context = program::context();
    for name in ["index", "i1", "i7", "i128", "i129", "si8", "ui8", "f16", "bf16", "f32", "f64", "f80", "vector<2xf32>"]
    {
        let ty = melior::ir::Type::parse(&context, name).unwrap();
        assert_eq!(kernel::element_of_type(ty), Element::from_name(name), "{name}");
    }
}
