// JAX 0.10.2, lowered to linalg: jnp.einsum("gdab,efgc->abcdef", a, b)
// RUN: %python %S/../../Inputs/arrays.py %t 2x4x3x5 3x2x2x3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d6, d2)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d3, d4, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d2, d3, d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<2x4x3x5xf32>, %arg1: tensor<3x2x2x3xf32>) -> (tensor<3x5x3x4x3x2xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x2x3x4x3x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x2x3x4x3x5xf32>) -> tensor<3x2x3x4x3x5xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg1, %arg0 : tensor<3x2x2x3xf32>, tensor<2x4x3x5xf32>) outs(%1 : tensor<3x2x3x4x3x5xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.mulf %in, %in_0 : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<3x2x3x4x3x5xf32>
    %3 = tensor.empty() : tensor<3x5x3x4x3x2xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<3x2x3x4x3x5xf32>) outs(%3 : tensor<3x5x3x4x3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5x3x4x3x2xf32>
    return %4 : tensor<3x5x3x4x3x2xf32>
  }
}
