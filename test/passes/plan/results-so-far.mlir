// A reduction inside of another level of its dimension continues with the results in memory.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @caches:
// CHECK-NEXT:for level (2, 2), 2 parts, in memory:
// CHECK-NEXT:  for level (3, 1), 6 parts:
// CHECK-NEXT:    in registers, from the results so far:
// CHECK-NEXT:      for level (3, 2), 4 parts, carried:
// CHECK-NEXT:        scalar function
mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores [COR: threads] combine [MM]

func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[1, 1], [1, 2], [6, 4]], decompose = {order = [[1, 2], [4, 3], [5, 6]], tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]]}, scalar = {order = [[1, 2], [4, 3], [5, 6]]}, recompose = {order = [[1, 2], [4, 3], [5, 6]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
