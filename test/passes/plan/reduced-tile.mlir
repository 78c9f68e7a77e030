// The lanes of a reduced dimension are in registers, and are folded.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @tiles:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  for level (1, 1), 4 parts, carried:
// CHECK-NEXT:    unroll level (2, 1) by 2:
// CHECK-NEXT:      vectorize level (3, 1) by 8:
// CHECK-NEXT:        scalar function
mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[4], [2], [8]], decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
