// PyTorch 2.15, lowered to linalg by torch-mlir: F.linear(x, w), with f16
// RUN: %python %S/../../Inputs/arrays.py %t 5x6:f16 7x6:f16
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<5x6xf16>, %arg1: tensor<7x6xf16>) -> tensor<5x7xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x7xf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<7x6xf16>) outs(%0 : tensor<6x7xf16>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<5x7xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<5x6xf16>, tensor<6x7xf16>) outs(%2 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %4 = tensor.empty() : tensor<5x7xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5x7xf32>) outs(%4 : tensor<5x7xf16>) {
    ^bb0(%in: f32, %out: f16):
      %6 = arith.truncf %in : f32 to f16
      linalg.yield %6 : f16
    } -> tensor<5x7xf16>
    return %5 : tensor<5x7xf16>
  }
}
