// RUN: mdh-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// A computation between upstream operations on tensors: no copy is made.
// CHECK-LABEL: @between
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>) -> memref<8xf32>
func.func @between(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[T:.*]] = memref.alloc
  // CHECK: linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[T]] : memref<8xf32>)
  // CHECK: mdh.view.inp_view %[[T]][#{{.*}}] : (memref<8xf32>) -> !mdh.mda<8, f32>
  // CHECK: mdh.hom.md_hom
  // CHECK: %[[W:.*]] = memref.alloc
  // CHECK: mdh.view.out_view {{.*}} into %[[W]]
  // CHECK: linalg.log ins(%[[W]] : memref<8xf32>) outs(%[[W]] : memref<8xf32>)
  // CHECK: return %[[W]]
  %empty = tensor.empty() : tensor<8xf32>
  %t = linalg.exp ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %0 = mdh.view.inp_view %t[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  %3 = linalg.log ins(%2 : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
