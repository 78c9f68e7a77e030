// A producer is computed at a level of its consumer.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@normalized, computation 1, on @loops:
// CHECK-NEXT:for level (1, 1), 6 parts:
// CHECK-NEXT:  in registers:
// CHECK-NEXT:    for level (1, 2), 8 parts, carried:
// CHECK-NEXT:      scalar function
// CHECK-EMPTY:
// CHECK-NEXT:@normalized, computation 2, on @loops:
// CHECK-NEXT:for level (1, 1), 6 parts:
// CHECK-NEXT:  compute a part of producer 1
// CHECK-NEXT:  for level (1, 2), 8 parts:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @loops memory [MM: global] cores []

func.func @normalized(%x: memref<6x8xf32>) -> memref<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @loops, parts = [["?", 8]],
      decompose = {tags = [["MM,x", "MM,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @loops, parts = [[6, 8]],
      decompose = {tags = [["MM,x", "MM,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> memref<6x8xf32>
  return %y : memref<6x8xf32>
}
