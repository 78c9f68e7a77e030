// JAX 0.10.2, lowered to linalg: lax.conv_general_dilated(x, w, (1, 1), 'SAME', rhs_dilation=(2, 2), feature_group_count=2), NCHW
// RUN: %python %S/../../Inputs/arrays.py %t 1x4x7x6 6x2x3x3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d0, d1, d3 + d4, d5 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d1, d4, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d0, d2, d3, d5)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<1x4x7x6xf32>, %arg1: tensor<6x2x3x3xf32>) -> (tensor<1x6x7x6xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<1x4x7x6xf32> to tensor<1x4x11x10xf32>
    %0 = tensor.empty() : tensor<6x2x5x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6x2x5x5xf32>) -> tensor<6x2x5x5xf32>
    %inserted_slice = tensor.insert_slice %arg1 into %1[0, 0, 0, 0] [6, 2, 3, 3] [1, 1, 2, 2] : tensor<6x2x3x3xf32> into tensor<6x2x5x5xf32>
    %expanded = tensor.expand_shape %padded [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 11, 10] : tensor<1x4x11x10xf32> into tensor<1x2x2x11x10xf32>
    %expanded_0 = tensor.expand_shape %inserted_slice [[0, 1], [2], [3], [4]] output_shape [2, 3, 2, 5, 5] : tensor<6x2x5x5xf32> into tensor<2x3x2x5x5xf32>
    %2 = tensor.empty() : tensor<1x2x3x7x6xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x2x3x7x6xf32>) -> tensor<1x2x3x7x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_0 : tensor<1x2x2x11x10xf32>, tensor<2x3x2x5x5xf32>) outs(%3 : tensor<1x2x3x7x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %5 = arith.mulf %in, %in_1 : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<1x2x3x7x6xf32>
    %collapsed = tensor.collapse_shape %4 [[0], [1, 2], [3], [4]] : tensor<1x2x3x7x6xf32> into tensor<1x6x7x6xf32>
    return %collapsed : tensor<1x6x7x6xf32>
  }
}
