// JAX 0.10.2, lowered to linalg: jnp.polyval(p, x)
// RUN: %python %S/../../Inputs/arrays.py %t 4 11
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<11xf32>) -> (tensor<11xf32>) {
    %0 = call @polyval(%arg0, %arg1) : (tensor<4xf32>, tensor<11xf32>) -> tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @polyval(%arg0: tensor<4xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<11xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<11xf32>
    %extracted_slice = tensor.extract_slice %arg0[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [] : tensor<1xf32> into tensor<f32>
    %2 = call @closed_call(%arg1, %1, %collapsed) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[1] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %collapsed_1 = tensor.collapse_shape %extracted_slice_0 [] : tensor<1xf32> into tensor<f32>
    %3 = call @closed_call(%arg1, %2, %collapsed_1) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %extracted_slice_2 = tensor.extract_slice %arg0[2] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %collapsed_3 = tensor.collapse_shape %extracted_slice_2 [] : tensor<1xf32> into tensor<f32>
    %4 = call @closed_call(%arg1, %3, %collapsed_3) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %extracted_slice_4 = tensor.extract_slice %arg0[3] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice_4 [] : tensor<1xf32> into tensor<f32>
    %5 = call @closed_call(%arg1, %4, %collapsed_5) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %5 : tensor<11xf32>
  }
  func.func private @closed_call(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = tensor.empty() : tensor<11xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %arg0 : tensor<11xf32>, tensor<11xf32>) outs(%0 : tensor<11xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.mulf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<11xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<11xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%1, %2 : tensor<11xf32>, tensor<11xf32>) outs(%0 : tensor<11xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.addf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<11xf32>
    return %3 : tensor<11xf32>
  }
}
