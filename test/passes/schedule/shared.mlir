// A homomorphism that two views use is scheduled for each of them; an unused one is erased.
// RUN: mdh-opt %s --mdh-schedule --mdh-partition --mdh-tag-operators --mdh-promote-memory | FileCheck %s
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: mdh.lowlevel.scalar
// CHECK-NOT: mdh.lowlevel.scalar
// CHECK-NOT: mdh.hom.md_hom
func.func @shared(%A: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x8, f32>
  %unused = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x8, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<4x8, f32> -> tensor<4x8xf32>
  %p = mdh.view.out_view %r[affine_map<(i, j) -> (j, i)>] : !mdh.mda<4x8, f32> -> tensor<8x4xf32>
  return %o, %p : tensor<4x8xf32>, tensor<8x4xf32>
}
