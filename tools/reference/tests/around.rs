//! The code around computations: constants, slices, loops and memory.
use super::{array, outcome, values};
use crate::{
    program,
    reference::{check, evaluate},
    signature,
};

/// The results of a function without arguments, with the given result types; `before` is the text in front of the
/// function.
fn results(before: &str, types: &str, body: &str) -> Result<Vec<Vec<f64>>, String> {
    let program = format!("{before}\nfunc.func @f() -> ({types}) {{\n{INDICES}\n{body}\n}}");
    outcome(&program, vec![]).map(|outcome| outcome.results.iter().map(values).collect())
}

const INDICES: &str = "%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%two = arith.constant 2 : index
%five = arith.constant 5 : index";

#[test]
fn dense_constants() {
    for (text, ty, expected) in [
        ("dense<3>", "tensor<2x2xi32>", &[3.0; 4][..]),
        ("dense<[[1, -2], [3, 4]]>", "tensor<2x2xi8>", &[1.0, -2.0, 3.0, 4.0]),
        ("dense<[true, false, true]>", "tensor<3xi1>", &[-1.0, 0.0, -1.0]),
        ("dense<true>", "tensor<9xi1>", &[-1.0; 9]),
        ("dense<[-5, 70000]>", "tensor<2xi24>", &[-5.0, 70000.0]),
        ("dense<[-1, 2]>", "tensor<2xi128>", &[-1.0, 2.0]),
        ("dense<[7, -1]>", "tensor<2xindex>", &[7.0, -1.0]),
        ("dense<[1.5, -2.0]>", "tensor<2xf16>", &[1.5, -2.0]),
        ("dense<[1.5, -2.0]>", "tensor<2xbf16>", &[1.5, -2.0]),
        ("dense<[0x7F800000, 0.5]>", "tensor<2xf32>", &[f64::INFINITY, 0.5]),
        ("dense<0.1>", "tensor<f64>", &[0.1]),
        ("dense<>", "tensor<0xf32>", &[]),
        ("dense<1.0>", "tensor<2x0xf32>", &[]),
    ] {
        let body = format!("%x = arith.constant {text} : {ty}\nreturn %x : {ty}");
        assert_eq!(results("", ty, &body).unwrap(), [expected], "{text} : {ty}");
    }
    let body = "%x = arith.constant dense<[1.0, 2.0]> : tensor<2xf80>\nreturn";
    assert_eq!(results("", "", body).unwrap_err(), "the reference evaluator has no arrays of type tensor<2xf80>");
}

#[test]
fn globals() {
    let globals = "memref.global \"private\" constant @c : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
memref.global \"private\" @v : memref<2xi32> = dense<0>";
    let body = "%c = memref.get_global @c : memref<2x2xi32>
%e = memref.load %c[%one, %zero] : memref<2x2xi32>
return %c, %e : memref<2x2xi32>, i32";
    let found = results(globals, "memref<2x2xi32>, i32", body).unwrap();
    assert_eq!(found, [&[1.0, 2.0, 3.0, 4.0][..], &[3.0]]);
    let failure = results(globals, "", "%v = memref.get_global @v : memref<2xi32>\nreturn").unwrap_err();
    assert_eq!(failure, "the reference evaluator knows constant globals only, but 'v' is none");
}

#[test]
fn slices_of_tensors() {
    let x = "%x = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>";
    for (slice, ty, expected) in [
        ("[1, 1] [2, 2] [1, 1]", "tensor<2x2xi32>", &[5.0, 6.0, 9.0, 10.0][..]),
        ("[0, 0] [2, 2] [2, 3]", "tensor<2x2xi32>", &[0.0, 3.0, 8.0, 11.0]),
        ("[%two, 0] [1, 4] [1, 1]", "tensor<4xi32>", &[8.0, 9.0, 10.0, 11.0]),
        ("[0, %one] [3, 1] [1, 1]", "tensor<3xi32>", &[1.0, 5.0, 9.0]),
        ("[%one, %one] [1, %two] [1, 1]", "tensor<?xi32>", &[5.0, 6.0]),
        ("[%one, %one] [1, 1] [1, 1]", "tensor<i32>", &[5.0]),
        ("[%five, %one] [%zero, 2] [1, 1]", "tensor<?x2xi32>", &[]),
    ] {
        let body = format!("{x}\n%y = tensor.extract_slice %x{slice} : tensor<3x4xi32> to {ty}\nreturn %y : {ty}");
        assert_eq!(results("", ty, &body).unwrap(), [expected], "{slice}");
    }
    let body = format!(
        "{x}\n%y = arith.constant dense<[-1, -2]> : tensor<2xi32>
%z = tensor.insert_slice %y into %x[0, %one] [2, 1] [2, 1] : tensor<2xi32> into tensor<3x4xi32>
return %z : tensor<3x4xi32>"
    );
    let expected = [0.0, -1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -2.0, 10.0, 11.0];
    assert_eq!(results("", "tensor<3x4xi32>", &body).unwrap(), [expected]);
    let body = format!(
        "{x}\n%y = tensor.extract_slice %x[%two, 0] [%two, 1] [1, 1] : tensor<3x4xi32> to tensor<?x1xi32>\nreturn"
    );
    assert_eq!(results("", "", &body).unwrap_err(), "dimension 1 has indices 0 to 2, accessed are 2 to 3");
}

#[test]
fn results_of_forall() {
    // Each iteration adds to a slice of the values before the loop, and inserts into two results, the second in reverse.
    let body = "%x = arith.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
%six = arith.constant 6 : index
%four = arith.constant 4 : index
%ten = arith.constant dense<10> : tensor<2xi32>
%r:2 = scf.forall (%i) = (0) to (%six) step (2) shared_outs(%a = %x, %b = %x) -> (tensor<6xi32>, tensor<6xi32>) {
  %s = tensor.extract_slice %a[%i] [2] [1] : tensor<6xi32> to tensor<2xi32>
  %whole = tensor.extract %a[%zero] : tensor<6xi32>
  %e = tensor.empty() : tensor<2xi32>
  %t = linalg.add ins(%s, %ten : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %u = tensor.insert %whole into %t[%one] : tensor<2xi32>
  %back = arith.subi %four, %i : index
  scf.forall.in_parallel {
    tensor.parallel_insert_slice %u into %b[%back] [2] [1] : tensor<2xi32> into tensor<6xi32>
    tensor.parallel_insert_slice %t into %a[%i] [2] [1] : tensor<2xi32> into tensor<6xi32>
  }
}
return %r#0, %r#1 : tensor<6xi32>, tensor<6xi32>";
    let expected = [[10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [14.0, 0.0, 12.0, 0.0, 10.0, 0.0]];
    assert_eq!(results("", "tensor<6xi32>, tensor<6xi32>", body).unwrap(), expected);
    let body = "%c = arith.constant 1 : i32
%r = scf.parallel (%i) = (%zero) to (%five) step (%one) init (%c) -> i32 {
  scf.reduce(%c : i32) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scf.reduce.return %s : i32
  }
}
%y = tensor.from_elements %r : tensor<1xi32>
return %y : tensor<1xi32>";
    assert_eq!(results("", "tensor<1xi32>", body).unwrap(), [[6.0]]);
}

#[test]
fn parts_of_memory() {
    // A subview with the odd columns, and its second row: written by a copy, read through the whole buffer.
    let part = "%x = memref.alloc() : memref<2x4xi32>
%a = arith.constant 1 : i32
linalg.fill ins(%a : i32) outs(%x : memref<2x4xi32>)
%odd = memref.subview %x[0, %one] [2, 2] [1, 2] : memref<2x4xi32> to memref<2x2xi32, strided<[4, 2], offset: ?>>
%row = memref.subview %odd[%one, 0] [1, 2] [1, 1] : memref<2x2xi32, strided<[4, 2], offset: ?>> to memref<2xi32, strided<[2], offset: ?>>";
    let body = format!(
        "{part}
%c = memref.alloca(%two) : memref<?xi32>
%b = arith.constant 9 : i32
linalg.fill ins(%b : i32) outs(%c : memref<?xi32>)
%d = memref.cast %c : memref<?xi32> to memref<2xi32>
memref.copy %d, %row : memref<2xi32> to memref<2xi32, strided<[2], offset: ?>>
memref.store %a, %row[%zero] : memref<2xi32, strided<[2], offset: ?>>
%e = memref.load %odd[%one, %one] : memref<2x2xi32, strided<[4, 2], offset: ?>>
%n = memref.dim %odd, %one : memref<2x2xi32, strided<[4, 2], offset: ?>>
return %x, %e, %n : memref<2x4xi32>, i32, index"
    );
    let found = results("", "memref<2x4xi32>, i32, index", &body).unwrap();
    assert_eq!(found, [&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0][..], &[9.0], &[2.0]]);
    for (use_of_it, message) in [
        ("memref.load %x[%two, %zero]", "dimension 1 has indices 0 to 1, accessed are 2 to 2"),
        ("memref.load %fresh[%one, %zero]", "reads an element that has not been written"),
        ("memref.load %old[%one, %zero]", "uses memory that has been deallocated"),
    ] {
        let body = format!(
            "{part}\n%fresh = memref.alloc() : memref<2x4xi32>\n%old = memref.alloc() : memref<2x4xi32>
memref.dealloc %old : memref<2x4xi32>\n%e = {use_of_it} : memref<2x4xi32>\nreturn"
        );
        assert_eq!(results("", "", &body).unwrap_err(), message);
    }
}

#[test]
fn loops_and_branches() {
    let body = "%x = tensor.empty() : tensor<5xindex>
%limit = arith.constant 3 : index
%y, %sum = scf.for %i = %zero to %five step %one iter_args(%t = %x, %s = %zero) -> (tensor<5xindex>, index) {
  %is_small = arith.cmpi ult, %i, %limit : index
  %v = scf.if %is_small -> (index) {
    scf.yield %i : index
  } else {
    %square = arith.muli %i, %i : index
    scf.yield %square : index
  }
  %u = tensor.insert %v into %t[%i] : tensor<5xindex>
  %e = tensor.extract %u[%i] : tensor<5xindex>
  %next = arith.addi %s, %e : index
  scf.yield %u, %next : tensor<5xindex>, index
}
%n = scf.while (%a = %sum) : (index) -> (index) {
  %more = arith.cmpi sgt, %a, %limit : index
  scf.condition(%more) %a : index
} do {
^bb0(%a: index):
  %b = arith.subi %a, %limit : index
  scf.yield %b : index
}
return %y, %sum, %n : tensor<5xindex>, index, index";
    let found = results("", "tensor<5xindex>, index, index", body).unwrap();
    assert_eq!(found, [&[0.0, 1.0, 2.0, 9.0, 16.0][..], &[28.0], &[1.0]]);
    let body = "%back = arith.constant -1 : index
%step = arith.addi %back, %zero : index
scf.for %i = %zero to %five step %step {\n}\nreturn";
    assert_eq!(results("", "", body).unwrap_err(), "requires a positive step, but it is -1");
}

#[test]
fn sums_of_negative_zeros_are_negative() {
    let program = "func.func @f(%x: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %sum = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %sum[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}";
    for count in [0, 1, 4] {
        let outcome = outcome(program, vec![array("f32", &[count], &vec![-0.0; count])]).unwrap();
        assert_eq!(outcome.results[0].array.get(0), u128::from((-0.0f32).to_bits()), "{count} elements");
    }
}

#[test]
fn what_is_not_computed_decides_nothing() {
    // The last load is out of bounds only for elements that the computation overwrites.
    let program = "func.func @f(%x: memref<2xindex>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<2xindex>) -> !mdh.mda<2, index>
  %zeros = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: index):
    %zero = arith.subi %a, %a : index
    mdh.hom.yield %zero : index
  } : !mdh.mda<2, index> -> !mdh.mda<2, index>
  %c = arith.constant 0 : index
  %i = memref.load %x[%c] : memref<2xindex>
  %first = memref.load %x[%i] : memref<2xindex>
  mdh.view.out_view %zeros[affine_map<(i) -> (i)>] into %x : !mdh.mda<2, index>, memref<2xindex>
  %j = memref.load %x[%c] : memref<2xindex>
  %second = memref.load %x[%j] : memref<2xindex>
  return
}";
    let context = program::context();
    let module = program::parse(&context, program.as_bytes()).unwrap();
    let function = signature::find(mdh_dialects::ir::op(module.as_operation()), None).unwrap();
    let given = |first| vec![array("index", &[2], &[first, 7.0])];
    assert_eq!(check(function, given(1.0)), Ok(()));
    assert!(evaluate(function, given(1.0), &|_| {}).is_ok());
    let failure = check(function, given(2.0)).unwrap_err();
    assert_eq!(failure.message, "dimension 1 has indices 0 to 1, accessed are 2 to 2");
}

#[test]
fn tensors_of_scalars_and_of_tensors() {
    let body = "%a = arith.constant 1 : i32
      %b = arith.constant 2 : i32
      %six = tensor.from_elements %a, %b, %a, %b, %a, %b : tensor<6xi32>
      %matrix = tensor.expand_shape %six [[0, 1]] output_shape [2, 3] : tensor<6xi32> into tensor<2x3xi32>
      %flat = tensor.collapse_shape %matrix [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
      %open = tensor.cast %flat : tensor<6xi32> to tensor<?xi32>
      %rows = tensor.expand_shape %open [[0, 1]] output_shape [%two, 3] : tensor<?xi32> into tensor<?x3xi32>
      %again = tensor.collapse_shape %rows [[0, 1]] : tensor<?x3xi32> into tensor<?xi32>
      %same = tensor.splat %b[%two] : tensor<?xi32>
      %sums = tensor.generate %two {
      ^bb0(%i: index, %j: index):
        %s = arith.addi %i, %j : index
        %n = arith.index_cast %s : index to i32
        tensor.yield %n : i32
      } : tensor<?x2xi32>
      %padded = tensor.pad %same low[1] high[%two] {
      ^bb0(%i: index):
        %n = arith.index_cast %i : index to i32
        tensor.yield %n : i32
      } : tensor<?xi32> to tensor<?xi32>
      %rank = tensor.rank %sums : tensor<?x2xi32>
      %scalar = tensor.from_elements %a : tensor<i32>
      return %again, %same, %sums, %padded, %rank, %scalar : tensor<?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, index, tensor<i32>";
    let types = "tensor<?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, index, tensor<i32>";
    let expected: [&[f64]; 6] = [
        &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
        &[2.0, 2.0],
        &[0.0, 1.0, 1.0, 2.0],
        &[0.0, 2.0, 2.0, 3.0, 4.0],
        &[2.0],
        &[1.0],
    ];
    assert_eq!(results("", types, body).unwrap(), expected);
    let wrong = "%n = arith.constant dense<1> : tensor<3xi32>
      %some = tensor.extract_slice %n[0] [%two] [1] : tensor<3xi32> to tensor<?xi32>
      %pairs = tensor.expand_shape %some [[0, 1]] output_shape [%two, 2] : tensor<?xi32> into tensor<?x2xi32>
      return %pairs : tensor<?x2xi32>";
    let message = "requires as many elements as a buffer of shape [2]";
    assert_eq!(results("", "tensor<?x2xi32>", wrong), Err(message.to_owned()));
    let asserted = "%no = arith.cmpi eq, %one, %two : index\ncf.assert %no, \"requires one\"\nreturn";
    assert_eq!(results("", "", asserted), Err("requires one".to_owned()));
}
