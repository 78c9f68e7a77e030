// RUN: mdh-opt %s --mdh-expand-dim --split-input-file --verify-diagnostics

func.func @negative(%x: tensor<?x128xf32>) -> index {
  %c = arith.constant -128 : index
  // expected-error@+1 {{'tensor.dim' op requires a dimension below 2, but has -128}}
  %n = tensor.dim %x, %c : tensor<?x128xf32>
  return %n : index
}

// -----

func.func @beyond(%x: memref<?x128xf32>) -> index {
  %c = arith.constant 2 : index
  // expected-error@+1 {{'memref.dim' op requires a dimension below 2, but has 2}}
  %n = memref.dim %x, %c : memref<?x128xf32>
  return %n : index
}
