// A scan inside of a reduction has results of its own, which are then reduced.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sums, computation 1, on @loops:
// CHECK-NEXT:for level (1, 1), 4 parts, in memory:
// CHECK-NEXT:  results in MM[1] (R (1, 2)):
// CHECK-NEXT:    in registers:
// CHECK-NEXT:      for level (1, 2), 8 parts, in a scan, the first part apart:
// CHECK-NEXT:        scalar function
mdh.lowlevel.system @loops memory [MM: global] cores []

func.func @sums(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(k, i) -> (k, i)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.ps<add>] attributes {schedule = {system = @loops, parts = [[4, 8]], decompose = {tags = [["MM,x", "MM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<1x8, f32>
  mdh.view.out_view %r[affine_map<(k, i) -> (i)>] into %y : !mdh.mda<1x8, f32>, memref<8xf32>
  return
}
