// Parts with separate results: a loop for each level, outermost first.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@copy, computation 1, on @threads:
// CHECK-NEXT:for level (2, 1), 4 parts:
// CHECK-NEXT:  threads for level (1, 1), 3 parts:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @copy(%x: memref<12xf32>, %y: memref<12xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<12xf32>) -> !mdh.mda<12, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @threads, parts = [[3], [4]], decompose = {tags = [["COR,x"], ["MM,x"]], order = [[2], [1]]}, scalar = {order = [[2], [1]]}, recompose = {order = [[2], [1]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<12, f32> -> !mdh.mda<12, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<12, f32>, memref<12xf32>
  return
}
