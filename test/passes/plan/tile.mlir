// Levels of concatenated dimensions are unrolled and vectorized around the reduction of a matrix product.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@matmul, computation 1, on @tiles:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 2) by 16:
// CHECK-NEXT:    for level (1, 3), 32 parts, carried:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

func.func @matmul(%A: memref<2x32xf32>, %B: memref<32x16xf32>, %C: memref<2x16xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (memref<2x32xf32>, memref<32x16xf32>) -> !mdh.mda<2x16x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[1, 1, 32], [2, 1, 1], [1, 16, 1]],
      decompose = {tags = [["MM,x", "MM,y", "MM,z"], ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<2x16x32, f32, f32> -> !mdh.mda<2x16x1, f32>
  mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<2x16x1, f32>, memref<2x16xf32>
  return
}
