// JAX 0.10.2, lowered to linalg: lax.dot(a, b, preferred_element_type=jnp.float32)
// RUN: %python %S/../../Inputs/arrays.py %t 5x6:bf16 6x7:bf16
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<5x6xbf16>, %arg1: tensor<6x7xbf16>) -> (tensor<5x7xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<5x6xbf16>, tensor<6x7xbf16>) outs(%1 : tensor<5x7xf32>) -> tensor<5x7xf32>
    return %2 : tensor<5x7xf32>
  }
}
