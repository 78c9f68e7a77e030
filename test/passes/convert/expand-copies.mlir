// RUN: mdh-opt %s --mdh-expand-copies | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM --implicit-check-not=memrefCopy --implicit-check-not=unrealized
// RUN: mdh-opt %s --lower-mdh=check-accesses=true | FileCheck %s --check-prefix=LLVM --implicit-check-not=memrefCopy --implicit-check-not=unrealized

// A copy between strided memrefs becomes loops; a contiguous one is kept.
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

// Canonicalization finds the size 30, and with it a strided type.
// LLVM-LABEL: llvm.func @expanded
func.func @expanded(%x: tensor<?xi32>, %n: index) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %zero = arith.subi %n, %n : index
  %c30 = arith.constant 30 : index
  %size = arith.addi %zero, %c30 : index
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, %size] : tensor<?xi32> into tensor<?x?xi32>
  return %y, %x : tensor<?x?xi32>, tensor<?xi32>
}
