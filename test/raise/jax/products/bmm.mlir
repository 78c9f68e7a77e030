// JAX 0.10.2, lowered to linalg: jnp.einsum("bik,bkj->bij", a, b)
// RUN: %python %S/../../Inputs/arrays.py %t 2x5x6 2x6x7
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<2x5x6xf32>, %arg1: tensor<2x6x7xf32>) -> (tensor<2x5x7xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x5x7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
    %2 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<2x5x6xf32>, tensor<2x6x7xf32>) outs(%1 : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
    return %2 : tensor<2x5x7xf32>
  }
}
