// JAX 0.10.2, lowered to linalg: jnp.cumsum(x) - x
// RUN: mdh-opt --mdh-raise="required=true" %s | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 41
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --raise required --check

// CHECK: combine [#mdh.ps<[add]>]
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<41xf32>) -> (tensor<41xf32>) {
    %0 = call @cumsum(%arg0) : (tensor<41xf32>) -> tensor<41xf32>
    %1 = tensor.empty() : tensor<41xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%0, %arg0 : tensor<41xf32>, tensor<41xf32>) outs(%1 : tensor<41xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.subf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<41xf32>
    return %2 : tensor<41xf32>
  }
  func.func private @cumsum(%arg0: tensor<41xf32>) -> tensor<41xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<41xf32>) -> tensor<41xf32>
    return %0 : tensor<41xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<41xf32>) -> tensor<41xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<41xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<41xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<41xf32>
    %padded = tensor.pad %arg0 low[40] high[0] {
    ^bb0(%arg1: index):
      tensor.yield %cst : f32
    } : tensor<41xf32> to tensor<81xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%padded, %0 : tensor<81xf32>, tensor<41xf32>) outs(%1 : tensor<41xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %3 = arith.addf %out, %in : f32
      linalg.yield %3 : f32
    } -> tensor<41xf32>
    return %2 : tensor<41xf32>
  }
}
