// One running value reduces two dimensions, if results may be reassociated.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @threads:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  for level (2, 1), 4 parts, carried:
// CHECK-NEXT:    for level (2, 2), 8 parts, carried:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @sum(%M: memref<4x8xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[1, 1], [4, 8]], decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<1x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> ()>] into %s : !mdh.mda<1x1, f32>, memref<f32>
  return
}
