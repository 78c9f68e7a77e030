// A reduction around the parts of a result combines in memory.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @threads:
// CHECK-NEXT:for level (2, 2), 8 parts, in memory:
// CHECK-NEXT:  for level (2, 1), 6 parts:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[1, 1], [6, 8]], decompose = {order = [[1, 2], [4, 3]], tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"]]}, scalar = {order = [[1, 2], [4, 3]]}, recompose = {order = [[1, 2], [4, 3]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
