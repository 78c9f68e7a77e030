// RUN: mdh-opt %s --mdh-expand-softmax | FileCheck %s --implicit-check-not=linalg.softmax
// RUN: %python %S/../raise/Inputs/arrays.py %t 5x7
// RUN: mdh run %s --function softmax --input %t0.npy --raise required --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function softmax --input %t0.npy --raise false --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function numbers | FileCheck %s --check-prefix=NUMBERS
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
