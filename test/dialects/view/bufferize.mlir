// RUN: mdh-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// CHECK-LABEL: @result
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>) -> memref<8xf32>
func.func @result(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[IN:.*]] = mdh.view.inp_view %[[X]][#{{.*}}] : (memref<8xf32>)
  // CHECK-NEXT: mdh.hom.md_hom %[[IN]]
  // CHECK: %[[W:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK-NEXT: mdh.view.out_view {{.*}} into %[[W]] : !mdh.mda<8, f32>, memref<8xf32>
  // CHECK-NEXT: return %[[W]]
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A destination is written in place if it is not read later.
// CHECK-LABEL: @in_place
func.func @in_place(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[T:.*]] = memref.alloc
  // CHECK: mdh.view.inp_view
  // CHECK-NOT: memref.copy
  // CHECK: mdh.view.out_view {{.*}} into %[[T]]
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %t = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<4, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] into %t : !mdh.mda<4, f32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// An input buffer that is overwritten before it is read is copied first.
// CHECK-LABEL: @overwritten
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>
func.func @overwritten(%x: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc
  // CHECK: memref.copy %[[X]], %[[COPY]]
  // CHECK: mdh.view.inp_view %[[COPY]]
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %y = tensor.insert %f into %x[%i] : tensor<8xf32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %y, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @rank_0
func.func @rank_0(%x: tensor<?xf32>) -> tensor<f32> {
  // CHECK: mdh.view.inp_view %{{.*}} : (memref<?xf32>) -> !mdh.mda<?, f32>
  // CHECK: mdh.view.out_view {{.*}} into %{{.*}} : !mdh.mda<1, f32>, memref<f32>
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %2 : tensor<f32>
}

// Dynamic extents of a new buffer are derived when the view is lowered.
// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: mdh.view.out_view {{.*}} : !mdh.mda<?, f32> -> memref<?xf32>
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
