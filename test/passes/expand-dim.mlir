// RUN: mdh-opt %s --mdh-expand-dim | FileCheck %s
// RUN: %python %S/../raise/Inputs/arrays.py %t 5x7
// RUN: mdh run %s --function tensor --input %t0.npy --input 0 | FileCheck %s --check-prefix=FIRST
// RUN: mdh run %s --function tensor --input %t0.npy --input 1 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function tensor --input %t0.npy --input 2 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not mdh run %s --function tensor --input %t0.npy --input=-1 2>&1 | FileCheck %s --check-prefix=BEYOND
// FIRST: 5
// AGREES: agrees with the reference evaluator

// CHECK-LABEL: func.func @tensor
// CHECK-COUNT-2: tensor.dim
func.func @tensor(%x: tensor<?x7xf32>, %i: index) -> index {
  // BEYOND: expand-dim.mlir:[[#@LINE+1]]:{{.*}}'tensor.dim' fails: index is out of bounds
  %n = tensor.dim %x, %i : tensor<?x7xf32>
  return %n : index
}

// CHECK-LABEL: func.func @memory
// CHECK-COUNT-3: memref.dim %{{.*}}, %{{.*}} : memref<?x?x?xf32>
// CHECK-NOT: memref.dim
func.func @memory(%x: memref<?x?x?xf32>, %i: index) -> index {
  %n = memref.dim %x, %i : memref<?x?x?xf32>
  return %n : index
}

// Constants, and all others that upstream folds, stay as they are.
// CHECK-LABEL: func.func @constant
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: tensor.dim %{{.*}}, %[[ONE]]
func.func @constant(%x: tensor<?x?xf32>) -> index {
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %one : tensor<?x?xf32>
  return %n : index
}
