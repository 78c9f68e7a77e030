// RUN: mdh-opt %s --mdh-erase-symbols --split-input-file | FileCheck %s

// CHECK-LABEL: module {
// CHECK-NOT: mdh.
// CHECK: func.func @without
mdh.lowlevel.system @simple memory [MM: global] cores []
mdh.hom.operator @sum commutative (%x: f32, %y: f32) -> (f32) {
  %s = arith.addf %x, %y : f32
  mdh.hom.yield %s : f32
}
func.func @without() {
  return
}

// -----

// A remaining computation may refer to them.
// CHECK: mdh.hom.operator @sum
// CHECK: func.func @with
mdh.hom.operator @sum commutative (%x: f32, %y: f32) -> (f32) {
  %s = arith.addf %x, %y : f32
  mdh.hom.yield %s : f32
}
func.func @with(%x: memref<8xf32>, %r: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<@sum>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %h[affine_map<(i) -> ()>] into %r : !mdh.mda<1, f32>, memref<f32>
  return
}
