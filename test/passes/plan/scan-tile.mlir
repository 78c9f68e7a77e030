// A register tile inside of a scan has a running value for each element.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sums, computation 1, on @tiles:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  unroll level (2, 1) by 2:
// CHECK-NEXT:    for level (1, 2), 8 parts, in a scan, the first part apart:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

func.func @sums(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<2x8xf32>) -> !mdh.mda<2x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<add>] attributes {schedule = {system = @tiles, parts = [[1, 8], [2, 1], [1, 1]],
      decompose = {order = [[3, 1], [4, 2], [5, 6]], tags = [["MM,x", "MM,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x8, f32> -> !mdh.mda<2x8, f32>
  mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] into %y : !mdh.mda<2x8, f32>, memref<2x8xf32>
  return
}
