// JAX 0.10.2, lowered to linalg: (jax.nn.silu(x @ w) * (x @ v)) @ u
// RUN: %python %S/../../Inputs/arrays.py %t 5x6 6x7 6x7 7x6
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --input %t3.npy --check
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<6x7xf32>, %arg2: tensor<6x7xf32>, %arg3: tensor<7x6xf32>) -> (tensor<5x6xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<5x6xf32>, tensor<6x7xf32>) outs(%1 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %3 = call @silu(%2) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %4 = linalg.matmul ins(%arg0, %arg2 : tensor<5x6xf32>, tensor<6x7xf32>) outs(%1 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %9 = arith.mulf %in, %in_0 : f32
      linalg.yield %9 : f32
    } -> tensor<5x7xf32>
    %6 = tensor.empty() : tensor<5x6xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<5x6xf32>) -> tensor<5x6xf32>
    %8 = linalg.matmul ins(%5, %arg3 : tensor<5x7xf32>, tensor<7x6xf32>) outs(%7 : tensor<5x6xf32>) -> tensor<5x6xf32>
    return %8 : tensor<5x6xf32>
  }
  func.func private @silu(%arg0: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.negf %in : f32
      linalg.yield %7 : f32
    } -> tensor<5x7xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.exp %in : f32
      linalg.yield %7 : f32
    } -> tensor<5x7xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x7xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %2 : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.addf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<5x7xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.divf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<5x7xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.mulf %in, %in_0 : f32
      linalg.yield %7 : f32
    } -> tensor<5x7xf32>
    return %6 : tensor<5x7xf32>
  }
}
