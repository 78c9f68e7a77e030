// JAX 0.10.2, lowered to linalg: jnp.kron(x, y)
// RUN: %python %S/../../Inputs/arrays.py %t 3x4 2x5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, d3)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x5xf32>) -> (tensor<6x20xf32>) {
    %0 = call @kron(%arg0, %arg1) : (tensor<3x4xf32>, tensor<2x5xf32>) -> tensor<6x20xf32>
    return %0 : tensor<6x20xf32>
  }
  func.func private @kron(%arg0: tensor<3x4xf32>, %arg1: tensor<2x5xf32>) -> tensor<6x20xf32> {
    %0 = tensor.empty() : tensor<3x1x4x1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x4xf32>) outs(%0 : tensor<3x1x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x4x1xf32>
    %2 = tensor.empty() : tensor<1x2x1x5xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x5xf32>) outs(%2 : tensor<1x2x1x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x5xf32>
    %4 = tensor.empty() : tensor<3x2x4x5xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<3x1x4x1xf32>) outs(%4 : tensor<3x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x4x5xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x2x1x5xf32>) outs(%4 : tensor<3x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x4x5xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %6 : tensor<3x2x4x5xf32>, tensor<3x2x4x5xf32>) outs(%4 : tensor<3x2x4x5xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %8 = arith.mulf %in, %in_0 : f32
      linalg.yield %8 : f32
    } -> tensor<3x2x4x5xf32>
    %collapsed = tensor.collapse_shape %7 [[0, 1], [2, 3]] : tensor<3x2x4x5xf32> into tensor<6x20xf32>
    return %collapsed : tensor<6x20xf32>
  }
}
