// RUN: mdh-opt %s --mdh-schedule=system=sequential --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --mdh-erase-symbols \
// RUN:   | FileCheck %s --implicit-check-not=mdh.

mdh.lowlevel.system @sequential memory [MM: global] cores []

// Symbols that MLIR prints with escapes are valid names of operators.
mdh.hom.operator @"gr\C3\B6\C3\9Fte" commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.maximumf %a, %b : f32
  mdh.hom.yield %r : f32
}
mdh.hom.operator @"a \22product\22 \5C" commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.mulf %a, %b : f32
  mdh.hom.yield %r : f32
}
mdh.hom.operator @"größer>" (%a: f32, %b: f32) -> (f32) {
  %r = arith.minimumf %a, %b : f32
  mdh.hom.yield %r : f32
}
// CHECK-LABEL: func.func @largest
func.func @largest(%x: memref<8xf32>, %w: memref<f32>) {
  // CHECK: arith.maximumf
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<@"größte">] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %w : !mdh.mda<1, f32>, memref<f32>
  return
}
// CHECK-LABEL: func.func @product
func.func @product(%x: memref<8xf32>, %w: memref<f32>) {
  // CHECK: arith.mulf
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<@"a \22product\22 \5C">] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %w : !mdh.mda<1, f32>, memref<f32>
  return
}
// CHECK-LABEL: func.func @scan
func.func @scan(%x: memref<8xf32>, %w: memref<8xf32>) {
  // CHECK: arith.minimumf
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<@"größer>">] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, f32>, memref<8xf32>
  return
}
