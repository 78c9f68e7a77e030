// A register tile has at most 64 values: a level that exceeds them is a loop.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@copy, computation 1, on @tiles:
// CHECK-NEXT:for level (2, 1), 100 parts:
// CHECK-NEXT:  vectorize level (3, 1) by 8:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

func.func @copy(%x: memref<800xf32>, %y: memref<800xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<800xf32>) -> !mdh.mda<800, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @tiles, parts = [[1], [100], [8]], decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<800, f32> -> !mdh.mda<800, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<800, f32>, memref<800xf32>
  return
}
