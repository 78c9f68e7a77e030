// The comparison with the reference evaluator says which errors it tolerates, and what it does not check.

// RUN: mdh run %s --function halves --input 1 --check=all | FileCheck %s --check-prefix=EXACT --match-full-lines
// EXACT: agrees with the reference evaluator: maximum absolute error 0e0, maximum relative error 0e0
// EXACT-NOT: {{.}}

// RUN: mdh run %s --function halves --input 0.1 --check | FileCheck %s --check-prefix=ROUNDED
// ROUNDED: agrees with the reference evaluator
// ROUNDED-NEXT: errors up to {{[0-9.]+}}e-{{[0-9]}} of the largest element are tolerated

// RUN: mdh run %s --function ones --input 1 --check | FileCheck %s --check-prefix=LOST
// LOST: agrees with the reference evaluator
// LOST-NEXT: elements that are not checked, because their type cannot hold the sums that lead to them: 1
// RUN: mdh run %s --function ones --input 1 --check --json | FileCheck %s --check-prefix=JSON
// JSON: "elements": 1,
// JSON-NEXT: "evaluated_elements": 1,
// JSON-NEXT: "unchecked_elements": 1,
// JSON-NEXT: "tolerated_error": 0.0

// RUN: not mdh run %s --function ones --input 1 --check=some 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: invalid value 'some' for '--check[=<WHAT>]'

func.func @halves(%x: tensor<1000xf32>) -> tensor<1xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1000xf32>) -> !mdh.mda<1000, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    %half = arith.constant 0.5 : f32
    %p = arith.mulf %a, %half : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1000, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %h[affine_map<(i) -> (0)>] : !mdh.mda<1, f32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @ones(%x: tensor<5000xf16>) -> tensor<1xf16> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<5000xf16>) -> !mdh.mda<5000, f16>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f16):
    mdh.hom.yield %a : f16
  } : !mdh.mda<5000, f16> -> !mdh.mda<1, f16>
  %y = mdh.view.out_view %h[affine_map<(i) -> (0)>] : !mdh.mda<1, f16> -> tensor<1xf16>
  return %y : tensor<1xf16>
}
