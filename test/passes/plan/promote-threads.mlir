// Threads copy an input together, if a level of threads is inside of the copy.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @caches:
// CHECK-NEXT:promote input 1 to L1[2, 1], on threads (D (1, 1))
// CHECK-NEXT:threads for level (1, 1), 3 parts:
// CHECK-NEXT:  for level (3, 1), 2 parts:
// CHECK-NEXT:    in registers:
// CHECK-NEXT:      for level (3, 2), 8 parts, carried:
// CHECK-NEXT:        scalar function
mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores [COR: threads] combine [MM]

func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [1, 1], [2, 8]], decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]], reads = [[["L1[2, 1]", "L1[2, 1]"], ["L1[2, 1]", "L1[2, 1]"], ["L1[2, 1]", "L1[2, 1]"]]]}, scalar = {reads = ["L1[2, 1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
