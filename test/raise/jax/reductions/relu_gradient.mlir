// JAX 0.10.2, lowered to linalg: jax.grad(lambda x: (jax.nn.relu(x) * y).sum())(x)
// RUN: %python %S/../../Inputs/arrays.py %t 6x9 6x9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x9xf32>, %arg1: tensor<6x9xf32>) -> (tensor<6x9xf32>) {
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<6x9xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x9xf32>
    %2 = tensor.empty() : tensor<6x9xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%2 : tensor<6x9xi1>) {
    ^bb0(%in: f32, %in_1: f32, %out: i1):
      %7 = arith.cmpf ogt, %in, %in_1 : f32
      linalg.yield %7 : i1
    } -> tensor<6x9xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x9xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %arg1 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<6x9xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %5, %1 : tensor<6x9xi1>, tensor<6x9xf32>, tensor<6x9xf32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %7 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %7 : f32
    } -> tensor<6x9xf32>
    return %6 : tensor<6x9xf32>
  }
}
