// PyTorch 2.15, lowered to linalg by torch-mlir: F.batch_norm(x, m, v, w, b), in evaluation, with v * v as the variance
// RUN: %python %S/../../Inputs/arrays.py %t 2x3x4x5 3 3 3 3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --input %t3.npy --input %t4.npy --check
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
    %cst = arith.constant 1.000000e-05 : f64
    %0 = tensor.empty() : tensor<3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg2, %arg2 : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %9 = arith.mulf %in, %in_3 : f32
      linalg.yield %9 : f32
    } -> tensor<3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<3xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.truncf %cst : f64 to f32
      %10 = arith.addf %in, %9 : f32
      linalg.yield %10 : f32
    } -> tensor<3xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%2 : tensor<3xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = math.rsqrt %in : f32
      linalg.yield %9 : f32
    } -> tensor<3xf32>
    %expanded = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %expanded_0 = tensor.expand_shape %3 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %4 = tensor.empty() : tensor<2x3x4x5xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %expanded : tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) outs(%4 : tensor<2x3x4x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %9 = arith.subf %in, %in_3 : f32
      linalg.yield %9 : f32
    } -> tensor<2x3x4x5xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %expanded_0 : tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) outs(%4 : tensor<2x3x4x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %9 = arith.mulf %in, %in_3 : f32
      linalg.yield %9 : f32
    } -> tensor<2x3x4x5xf32>
    %expanded_1 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_1 : tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) outs(%4 : tensor<2x3x4x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %9 = arith.mulf %in, %in_3 : f32
      linalg.yield %9 : f32
    } -> tensor<2x3x4x5xf32>
    %expanded_2 = tensor.expand_shape %arg4 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_2 : tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) outs(%4 : tensor<2x3x4x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %9 = arith.addf %in, %in_3 : f32
      linalg.yield %9 : f32
    } -> tensor<2x3x4x5xf32>
    return %8 : tensor<2x3x4x5xf32>
  }
}
