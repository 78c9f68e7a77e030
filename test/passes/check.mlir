// A valid program is unchanged. The system of hand-written steps may be a built-in one.
// RUN: mdh-opt %s --mdh-check | FileCheck %s

// CHECK-LABEL: func.func @double
// CHECK-NEXT: mdh.view.inp_view
// CHECK-NEXT: mdh.hom.md_hom
// CHECK: mdh.view.out_view
func.func @double(%A: memref<8xf32>) -> memref<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> memref<8xf32>
  return %o : memref<8xf32>
}
