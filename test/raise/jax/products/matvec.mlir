// JAX 0.10.2, lowered to linalg: a @ b
// RUN: %python %S/../../Inputs/arrays.py %t 7x9 9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<7x9xf32>, %arg1: tensor<9xf32>) -> (tensor<7xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<7xf32>) -> tensor<7xf32>
    %2 = linalg.matvec ins(%arg0, %arg1 : tensor<7x9xf32>, tensor<9xf32>) outs(%1 : tensor<7xf32>) -> tensor<7xf32>
    return %2 : tensor<7xf32>
  }
}
