// The number of parts that follows from a dynamic extent is unknown.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@copy, computation 1, on @threads:
// CHECK-NEXT:for level (1, 1):
// CHECK-NEXT:  threads for level (2, 1):
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @threads, parts = [["?"], [4]], decompose = {tags = [["MM,x"], ["COR,x"]]}, scalar = {order = [[1], [2]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<?, f32>, memref<?xf32>
  return
}
