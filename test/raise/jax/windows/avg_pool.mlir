// JAX 0.10.2, lowered to linalg: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
// RUN: %python %S/../../Inputs/arrays.py %t 1x6x8x3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<(d0, d1, d2, d3) -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<1x6x8x3xf32>) -> (tensor<1x3x4x3xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<4.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x2xf32>
    %1 = tensor.empty() : tensor<1x3x4x3xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x3x4x3xf32>) -> tensor<1x3x4x3xf32>
    %3 = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%arg0, %0 : tensor<1x6x8x3xf32>, tensor<2x2xf32>) outs(%2 : tensor<1x3x4x3xf32>) -> tensor<1x3x4x3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%1 : tensor<1x3x4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4x3xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %4 : tensor<1x3x4x3xf32>, tensor<1x3x4x3xf32>) outs(%1 : tensor<1x3x4x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %6 = arith.divf %in, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<1x3x4x3xf32>
    return %5 : tensor<1x3x4x3xf32>
  }
}
