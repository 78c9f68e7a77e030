// The scalar phase has loops of its own inside of those that it shares with the re-composition.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @caches:
// CHECK-NEXT:for level (2, 1), 3 parts:
// CHECK-NEXT:  scalar phase into MM[1]:
// CHECK-NEXT:    for level (3, 1), 2 parts:
// CHECK-NEXT:      for level (3, 2), 8 parts:
// CHECK-NEXT:        scalar function
// CHECK-NEXT:  for level (3, 2), 8 parts, in memory:
// CHECK-NEXT:    for level (3, 1), 2 parts:
// CHECK-NEXT:      results of the scalar phase
mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores [COR: threads] combine [MM]

func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[1, 1], [3, 1], [2, 8]], decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]]}, recompose = {order = [[1, 2], [3, 4], [6, 5]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
