// RUN: mdh-opt %s --mdh-declare-systems | FileCheck %s

// A built-in system that a schedule names is declared once; one that no schedule names is not.
// CHECK-COUNT-1: mdh.lowlevel.system @artificial
// CHECK-NOT: mdh.lowlevel.system
// CHECK: func.func @scheduled
func.func @scheduled(%x: memref<8xf32>, %y: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @artificial, parts = [[8], [1], [1]],
      decompose = {tags = [["HM,x"], ["COR,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %h[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}
func.func @without(%x: memref<8xf32>, %y: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %h[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}
