// JAX 0.10.2, lowered to linalg: jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
// RUN: %python %S/../../Inputs/arrays.py %t 5 8x5 8
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --check
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<() -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<5xf32>, %arg1: tensor<8x5xf32>, %arg2: tensor<8xf32>) -> (tensor<5xf32>) {
    %cst = arith.constant 1.250000e-01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<2.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.matvec ins(%arg1, %arg0 : tensor<8x5xf32>, tensor<5xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%2, %arg2 : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.subf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%4, %3 : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<8xf32>
    %6 = tensor.empty() : tensor<f32>
    %7 = linalg.generic {indexing_maps = [#map2], iterator_types = []} outs(%6 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<f32>
    %8 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%7 : tensor<f32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%8, %5 : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<8xf32>
    %10 = tensor.empty() : tensor<5xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<5xf32>) -> tensor<5xf32>
    %12 = linalg.vecmat ins(%9, %arg1 : tensor<8xf32>, tensor<8x5xf32>) outs(%11 : tensor<5xf32>) -> tensor<5xf32>
    return %12 : tensor<5xf32>
  }
}
