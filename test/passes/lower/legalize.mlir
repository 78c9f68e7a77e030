// RUN: mdh-opt %s --mdh-legalize | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM --implicit-check-not=memrefCopy --implicit-check-not=unrealized

// A copy between strided memrefs becomes loops, a dense one stays.
// CHECK-LABEL: func.func @copies
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK:     %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]] : memref<4x4xf32, strided<[8, 2]>>
// CHECK:     memref.store %[[X]], %{{.*}}[%[[I]], %[[J]]] : memref<4x4xf32>
// CHECK: memref.copy
// LLVM-LABEL: llvm.func @copies
func.func @copies(%from: memref<4x8xf32>, %to: memref<4x4xf32>, %other: memref<4x4xf32>) {
  %part = memref.subview %from[0, 0] [4, 4] [1, 2] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 2]>>
  memref.copy %part, %to : memref<4x4xf32, strided<[8, 2]>> to memref<4x4xf32>
  memref.copy %to, %other : memref<4x4xf32> to memref<4x4xf32>
  return
}

// CHECK-LABEL: func.func @classes
// CHECK-NOT: math.is
// LLVM-LABEL: llvm.func @classes
func.func @classes(%x: f32, %v: vector<4xf64>) -> (i1, vector<4xi1>) {
  %infinite = math.isinf %x : f32
  %normal = math.isnormal %v : vector<4xf64>
  return %infinite, %normal : i1, vector<4xi1>
}

// CHECK-LABEL: func.func @bf16
// CHECK: math.fma {{.*}} : f32
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// LLVM-LABEL: llvm.func @bf16
func.func @bf16(%x: bf16, %y: f64) -> (bf16, bf16) {
  %fma = math.fma %x, %x, %x : bf16
  %small = arith.truncf %y : f64 to bf16
  return %fma, %small : bf16, bf16
}

// CHECK-LABEL: func.func @power
// CHECK: math.ipowi {{.*}} : i64
// LLVM-LABEL: llvm.func @power
func.func @power(%x: index, %y: index) -> index {
  %z = math.ipowi %x, %y : index
  return %z : index
}

// What upstream leaves of the scopes around parallel loops: a call may allocate, so a scope around one stays.
// CHECK-LABEL: func.func @scopes
// CHECK-NOT: memref.alloca_scope
// CHECK: llvm.intr.stacksave
// CHECK: memref.alloca()
// CHECK: scf.if
// CHECK: llvm.intr.stackrestore
// CHECK: scf.if
// LLVM-LABEL: llvm.func @scopes
func.func private @one() -> f32
func.func @scopes(%to: memref<f32>, %c: i1) {
  memref.alloca_scope {
    %temporary = memref.alloca() : memref<f32>
    scf.if %c {
      %x = func.call @one() : () -> f32
      memref.store %x, %temporary[] : memref<f32>
    }
    memref.copy %temporary, %to : memref<f32> to memref<f32>
  }
  %y = memref.alloca_scope -> (f32) {
    %x = scf.if %c -> f32 {
      %x = func.call @one() : () -> f32
      scf.yield %x : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    memref.alloca_scope.return %x : f32
  }
  memref.store %y, %to[] : memref<f32>
  return
}
