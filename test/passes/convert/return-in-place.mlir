// RUN: mdh-opt %s --mdh-return-in-place | FileCheck %s

// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %{{.*}}: memref<4xf32>, %[[Y:.*]]: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: return %[[Y]]
func.func @returned(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> attributes {mdh.in_place = array<i64: 1>} {
  %copy = bufferization.clone %y : memref<4xf32> to memref<4xf32>
  return %copy : memref<4xf32>
}

// For all others, the caller gets a copy.
// CHECK-LABEL: func.func @other(
// CHECK: bufferization.clone
func.func @other(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> attributes {mdh.in_place = array<i64: 1>} {
  %copy = bufferization.clone %x : memref<4xf32> to memref<4xf32>
  return %copy : memref<4xf32>
}

// So does a caller in the module, which frees it.
// CHECK-LABEL: func.func @called(
// CHECK: bufferization.clone
func.func @called(%x: memref<4xf32>) -> memref<4xf32> attributes {mdh.in_place = array<i64: 0>} {
  %copy = bufferization.clone %x : memref<4xf32> to memref<4xf32>
  return %copy : memref<4xf32>
}

func.func @caller(%x: memref<4xf32>) {
  %copy = func.call @called(%x) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %copy : memref<4xf32>
  return
}
