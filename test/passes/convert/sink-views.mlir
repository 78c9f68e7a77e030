// RUN: mdh-opt %s --mdh-sink-views | FileCheck %s

// Reads through views are sunk to right before their use. A value with another use stays where that requires it.
// CHECK-LABEL: func.func @between(
// CHECK: linalg.fill
// CHECK-NEXT: mdh.view.inp_view
// CHECK-NEXT: mdh.hom.md_hom
// CHECK: mdh.view.out_view
func.func @between(%A: tensor<4x8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (2 * i)>] into %init : !mdh.mda<4x1, f32>, tensor<8xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
