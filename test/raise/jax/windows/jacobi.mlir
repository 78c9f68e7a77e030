// JAX 0.10.2, lowered to linalg: (x[:-2] + x[1:-1] + x[2:]) / 3
// RUN: %python %S/../../Inputs/arrays.py %t 33
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<33xf32>) -> (tensor<31xf32>) {
    %cst = arith.constant dense<3.000000e+00> : tensor<f32>
    %extracted_slice = tensor.extract_slice %arg0[0] [31] [1] : tensor<33xf32> to tensor<31xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[1] [31] [1] : tensor<33xf32> to tensor<31xf32>
    %0 = tensor.empty() : tensor<31xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%extracted_slice, %extracted_slice_0 : tensor<31xf32>, tensor<31xf32>) outs(%0 : tensor<31xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.addf %in, %in_2 : f32
      linalg.yield %5 : f32
    } -> tensor<31xf32>
    %extracted_slice_1 = tensor.extract_slice %arg0[2] [31] [1] : tensor<33xf32> to tensor<31xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %extracted_slice_1 : tensor<31xf32>, tensor<31xf32>) outs(%0 : tensor<31xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.addf %in, %in_2 : f32
      linalg.yield %5 : f32
    } -> tensor<31xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<31xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<31xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%2, %3 : tensor<31xf32>, tensor<31xf32>) outs(%0 : tensor<31xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.divf %in, %in_2 : f32
      linalg.yield %5 : f32
    } -> tensor<31xf32>
    return %4 : tensor<31xf32>
  }
}
