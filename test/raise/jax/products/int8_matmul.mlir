// JAX 0.10.2, lowered to linalg: lax.dot(a, b, preferred_element_type=jnp.int32)
// RUN: %python %S/../../Inputs/arrays.py %t 5x6:i8@100 6x7:i8@100
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<5x6xi8>, %arg1: tensor<6x7xi8>) -> (tensor<5x7xi32>) {
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<5x7xi32>
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<5x7xi32>) -> tensor<5x7xi32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<5x6xi8>, tensor<6x7xi8>) outs(%1 : tensor<5x7xi32>) -> tensor<5x7xi32>
    return %2 : tensor<5x7xi32>
  }
}
