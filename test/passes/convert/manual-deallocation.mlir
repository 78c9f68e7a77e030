// RUN: mdh-opt %s --mdh-manual-deallocation | FileCheck %s
// RUN: mdh-opt %s --canonicalize --mdh-manual-deallocation --ownership-based-buffer-deallocation --canonicalize | FileCheck %s --check-prefix=FREED --implicit-check-not=cf.assert

// A size that turns out to be constant: the new allocation has lost its mark, and is behind a cast.
// CHECK-LABEL: @constant
// CHECK: memref.alloc(%{{.*}}) {bufferization.manual_deallocation}
// FREED-LABEL: @constant
// FREED-COUNT-1: memref.dealloc
func.func @constant(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc(%c8) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  %y = memref.load %a[%c0] : memref<?xf32>
  memref.dealloc %a {bufferization.manual_deallocation} : memref<?xf32>
  return %y : f32
}

// An allocation that upstream frees is not marked.
// CHECK-LABEL: @other
// CHECK: memref.alloc() : memref<8xf32>
func.func @other(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %y = memref.load %a[%c0] : memref<8xf32>
  return %y : f32
}
