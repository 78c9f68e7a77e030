// JAX 0.10.2, lowered to linalg: lax.cummin(x, axis=1, reverse=True)
// RUN: mdh-opt --mdh-raise="required=true" %s | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 3x7
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --raise required --check

// CHECK: combine [#mdh.cc, #mdh.ps<[min]>]
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<3x7xf32>) -> (tensor<3x7xf32>) {
    %0 = call @cummin(%arg0) : (tensor<3x7xf32>) -> tensor<3x7xf32>
    return %0 : tensor<3x7xf32>
  }
  func.func private @cummin(%arg0: tensor<3x7xf32>) -> tensor<3x7xf32> {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant dense<0x7F800000> : tensor<f32>
    %0 = tensor.empty() : tensor<3x7xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<3x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x7xf32>
    %padded = tensor.pad %arg0 low[0, 0] high[0, 6] {
    ^bb0(%arg1: index, %arg2: index):
      tensor.yield %cst : f32
    } : tensor<3x7xf32> to tensor<3x13xf32>
    %2 = tensor.empty() : tensor<7xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%padded, %2 : tensor<3x13xf32>, tensor<7xf32>) outs(%1 : tensor<3x7xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %4 = arith.minimumf %out, %in : f32
      linalg.yield %4 : f32
    } -> tensor<3x7xf32>
    return %3 : tensor<3x7xf32>
  }
}
