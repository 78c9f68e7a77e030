// RUN: mdh-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The steps are unchanged: an MDA is neither a tensor nor a memref.
// CHECK-LABEL: @scan
// CHECK-SAME: (%[[X:.*]]: memref<8xi32>, %[[W:.*]]: memref<8xi32>) -> memref<8xi32>
func.func @scan(%x: tensor<8xi32>, %w: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-NEXT: mdh.view.inp_view %[[X]]
  // CHECK-NEXT: mdh.lowlevel.decompose
  // CHECK-NEXT: mdh.lowlevel.decompose
  // CHECK-NEXT: mdh.lowlevel.scalar
  // CHECK: mdh.lowlevel.recompose
  // CHECK-NEXT: mdh.lowlevel.recompose
  // CHECK-NEXT: mdh.view.out_view {{.*}} into %[[W]] : !mdh.mda<8, i32>, memref<8xi32>
  // CHECK-NEXT: return %[[W]]
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xi32>) -> !mdh.mda<8, i32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 8 : !mdh.mda<8, i32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 : !mdh.mda<8, i32>
  %3 = mdh.lowlevel.scalar %2 on @small order [[1], [2]] {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.ps<add> level(2, 1) parts 1 : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  %5 = mdh.lowlevel.recompose %4 combine #mdh.ps<add> level(1, 1) parts 8 : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  %6 = mdh.view.out_view %5[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, i32>, tensor<8xi32> -> tensor<8xi32>
  return %6 : tensor<8xi32>
}
