// A reduction in registers begins with the initial values of the program.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @loops:
// CHECK-NEXT:for level (1, 1), 6 parts:
// CHECK-NEXT:  in registers, from the initial values:
// CHECK-NEXT:    for level (1, 2), 8 parts, carried:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @loops memory [MM: global] cores []

func.func @rows(%M: memref<6x8xf32>, %c: memref<6xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %i = mdh.view.inp_view %c[affine_map<(i, k) -> (i)>] : (memref<6xf32>) -> !mdh.mda<6x1, f32>
  %r = mdh.hom.md_hom %in init(%i : !mdh.mda<6x1, f32>) combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @loops,
      parts = [[6, 8]], decompose = {tags = [["MM,x", "MM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
