// JAX 0.10.2, lowered to linalg: jnp.convolve(x, w)
// RUN: %python %S/../../Inputs/arrays.py %t 20 5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2) -> (d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d2 + d3)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1, d2)>
#map5 = affine_map<(d0) -> (-d0 + 4)>
#map6 = affine_map<(d0) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<20xf32>, %arg1: tensor<5xf32>) -> (tensor<24xf32>) {
    %0 = call @convolve(%arg0, %arg1) : (tensor<20xf32>, tensor<5xf32>) -> tensor<24xf32>
    return %0 : tensor<24xf32>
  }
  func.func private @convolve(%arg0: tensor<20xf32>, %arg1: tensor<5xf32>) -> tensor<24xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<20xf32>, tensor<5xf32>) -> tensor<24xf32>
    return %0 : tensor<24xf32>
  }
  func.func private @_conv(%arg0: tensor<20xf32>, %arg1: tensor<5xf32>) -> tensor<24xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = call @_flip(%arg1) : (tensor<5xf32>) -> tensor<5xf32>
    %1 = tensor.empty() : tensor<1x1x20xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<20xf32>) outs(%1 : tensor<1x1x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x20xf32>
    %3 = tensor.empty() : tensor<1x1x5xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<5xf32>) outs(%3 : tensor<1x1x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x5xf32>
    %padded = tensor.pad %2 low[0, 0, 4] high[0, 0, 4] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x1x20xf32> to tensor<1x1x28xf32>
    %5 = tensor.empty() : tensor<1x1x24xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<1x1x24xf32>) -> tensor<1x1x24xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel"]} ins(%padded, %4 : tensor<1x1x28xf32>, tensor<1x1x5xf32>) outs(%6 : tensor<1x1x24xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %8 = arith.mulf %in, %in_0 : f32
      %9 = arith.addf %out, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<1x1x24xf32>
    %collapsed = tensor.collapse_shape %7 [[0, 1, 2]] : tensor<1x1x24xf32> into tensor<24xf32>
    return %collapsed : tensor<24xf32>
  }
  func.func private @_flip(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%arg0 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
