// JAX 0.10.2, lowered to linalg: jnp.argmin(x, axis=0)
// RUN: %python %S/../../Inputs/arrays.py %t 6x9@5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x9xi32>) -> (tensor<9xi32>) {
    %0 = call @argmin(%arg0) : (tensor<6x9xi32>) -> tensor<9xi32>
    return %0 : tensor<9xi32>
  }
  func.func private @argmin(%arg0: tensor<6x9xi32>) -> tensor<9xi32> {
    %c0_i32 = arith.constant 0 : i32
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %0 = tensor.empty() : tensor<6x9xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<6x9xi32>) {
    ^bb0(%out: i32):
      %6 = linalg.index 0 : index
      %7 = arith.index_cast %6 : index to i32
      linalg.yield %7 : i32
    } -> tensor<6x9xi32>
    %2 = tensor.empty() : tensor<9xi32>
    %3 = linalg.fill ins(%c2147483647_i32 : i32) outs(%2 : tensor<9xi32>) -> tensor<9xi32>
    %4 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<9xi32>) -> tensor<9xi32>
    %5:2 = linalg.generic {indexing_maps = [#map1, #map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0, %1 : tensor<6x9xi32>, tensor<6x9xi32>) outs(%3, %4 : tensor<9xi32>, tensor<9xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32, %out_1: i32):
      %6 = arith.cmpi slt, %out, %in : i32
      %7 = arith.cmpi eq, %out, %in : i32
      %8 = arith.cmpi slt, %out_1, %in_0 : i32
      %9 = arith.andi %7, %8 : i1
      %10 = arith.ori %6, %9 : i1
      %11 = arith.minsi %out, %in : i32
      %12 = arith.select %10, %out_1, %in_0 : i32
      linalg.yield %11, %12 : i32, i32
    } -> (tensor<9xi32>, tensor<9xi32>)
    return %5#1 : tensor<9xi32>
  }
}
