// PyTorch 2.15, lowered to linalg by torch-mlir: F.gelu(F.linear(x, w, b))
// RUN: %python %S/../../Inputs/arrays.py %t 5x7 6x7 6
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --check
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<5x7xf32>, %arg1: tensor<6x7xf32>, %arg2: tensor<6xf32>) -> tensor<5x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<7x6xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<6x7xf32>) outs(%0 : tensor<7x6xf32>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<5x6xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5x6xf32>) -> tensor<5x6xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<5x7xf32>, tensor<7x6xf32>) outs(%2 : tensor<5x6xf32>) -> tensor<5x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<6xf32>) outs(%1 : tensor<5x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x6xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x6xf32>, tensor<5x6xf32>) outs(%1 : tensor<5x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %7 = arith.addf %in, %in_3 : f32
      linalg.yield %7 : f32
    } -> tensor<5x6xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<5x6xf32>) outs(%1 : tensor<5x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.divf %in, %cst_2 : f32
      %8 = math.erf %7 : f32
      %9 = arith.addf %8, %cst_0 : f32
      %10 = arith.mulf %9, %cst_1 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<5x6xf32>
    return %6 : tensor<5x6xf32>
  }
}
