// Small buffers of a thread are on its stack, allocated once, outside of its loop; others stay.
// RUN: mdh-opt %s --mdh-stack-buffers | FileCheck %s

// CHECK-LABEL: @buffers
// CHECK: omp.parallel
// CHECK-NEXT: %[[A:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK: omp.loop_nest
// CHECK-NOT: memref<4xf32>
// CHECK: memref.alloc() {bufferization.manual_deallocation} : memref<1025xf32>
// CHECK: memref.alloc(%{{.*}}) {bufferization.manual_deallocation} : memref<?xf32>
// CHECK: memref.alloc() : memref<5xf32>
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK-NOT: memref.dealloc %[[A]]
// CHECK-COUNT-3: memref.dealloc
func.func @buffers(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %a = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<4xf32>
        %large = memref.alloc() {bufferization.manual_deallocation} : memref<1025xf32>
        %dynamic = memref.alloc(%n) {bufferization.manual_deallocation} : memref<?xf32>
        %other = memref.alloc() : memref<5xf32>
        memref.store %x, %a[%c0] : memref<4xf32>
        memref.store %x, %large[%c0] : memref<1025xf32>
        memref.store %x, %dynamic[%c0] : memref<?xf32>
        memref.store %x, %other[%c0] : memref<5xf32>
        memref.dealloc %a {bufferization.manual_deallocation} : memref<4xf32>
        memref.dealloc %large {bufferization.manual_deallocation} : memref<1025xf32>
        memref.dealloc %dynamic {bufferization.manual_deallocation} : memref<?xf32>
        memref.dealloc %other : memref<5xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A buffer outside of parallel loops is not that of a thread.
// CHECK-LABEL: @outside
// CHECK: memref.alloc()
// CHECK: memref.dealloc
func.func @outside(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() {bufferization.manual_deallocation} : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  memref.dealloc %a {bufferization.manual_deallocation} : memref<4xf32>
  return
}
