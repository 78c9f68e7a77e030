// RUN: mdh-opt %s --mdh-expand-softmax | FileCheck %s --implicit-check-not=linalg.softmax
// RUN: %python %S/../raise/Inputs/arrays.py %t 5x7
// RUN: mdh run %s --function softmax --input %t0.npy --raise required --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function softmax --input %t0.npy --raise false --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function numbers | FileCheck %s --check-prefix=NUMBERS
// RUN: %python %S/../raise/Inputs/arrays.py %t 4x3x5 4x3x5 9
// RUN: mdh run %s --function memrefs --input %t0.npy --input %t1.npy --raise true --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function memrefs --input %t0.npy --input %t1.npy --raise false --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function in_place --input %t0.npy --raise true --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function overlapping --input %t2.npy --raise true --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function overlapping --input %t2.npy --raise false --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function overlapping_numbers | FileCheck %s --check-prefix=OVERLAPPING
// AGREES: agrees with the reference evaluator
// CHECK-LABEL: func.func @softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @softmax(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x7xf32>
  %empty = tensor.empty(%rows) : tensor<?x7xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x7xf32>) outs(%empty : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

// NUMBERS: [0.5  0.5  0.0]
func.func @numbers() -> tensor<3xf32> {
  %x = arith.constant dense<[1000.0, 1000.0, -1000.0]> : tensor<3xf32>
  %empty = tensor.empty() : tensor<3xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<3xf32>) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @memrefs
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?x3x5xf32>
// CHECK: memref.alloc(%[[ROWS]]) : memref<?x5xf32>
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-COUNT-3: memref.dealloc
func.func @memrefs(%x: memref<?x3x5xf32>, %y: memref<?x3x5xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<?x3x5xf32>) outs(%y : memref<?x3x5xf32>)
  return
}

func.func @in_place(%x: memref<4x3x5xf32>) {
  linalg.softmax dimension(2) ins(%x : memref<4x3x5xf32>) outs(%x : memref<4x3x5xf32>)
  return
}

// All elements are read before the first one is written.
func.func @overlapping(%x: memref<9xf32>) {
  %a = memref.subview %x[0] [8] [1] : memref<9xf32> to memref<8xf32, strided<[1]>>
  %b = memref.subview %x[1] [8] [1] : memref<9xf32> to memref<8xf32, strided<[1], offset: 1>>
  linalg.softmax dimension(0) ins(%a : memref<8xf32, strided<[1]>>) outs(%b : memref<8xf32, strided<[1], offset: 1>>)
  return
}

// OVERLAPPING: [1000.0  0.5  0.5  0.0]
func.func @overlapping_numbers() -> memref<4xf32> {
  %x = arith.constant dense<[1000.0, 1000.0, -1000.0, 3.0]> : tensor<4xf32>
  %e = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = tensor.extract %x[%i] : tensor<4xf32>
    memref.store %v, %e[%i] : memref<4xf32>
  }
  %a = memref.subview %e[0] [3] [1] : memref<4xf32> to memref<3xf32, strided<[1]>>
  %b = memref.subview %e[1] [3] [1] : memref<4xf32> to memref<3xf32, strided<[1], offset: 1>>
  linalg.softmax dimension(0) ins(%a : memref<3xf32, strided<[1]>>) outs(%b : memref<3xf32, strided<[1], offset: 1>>)
  return %e : memref<4xf32>
}
