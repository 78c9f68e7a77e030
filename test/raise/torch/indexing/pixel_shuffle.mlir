// PyTorch 2.15, lowered to linalg by torch-mlir: F.pixel_shuffle(x, 2)
// RUN: %python %S/../../Inputs/arrays.py %t 1x8x3x4
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
module {
  func.func @main(%arg0: tensor<1x8x3x4xf32>) -> tensor<1x2x6x8xf32> {
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2, 3], [4], [5]] output_shape [1, 2, 2, 2, 3, 4] : tensor<1x8x3x4xf32> into tensor<1x2x2x2x3x4xf32>
    %0 = tensor.empty() : tensor<1x2x3x2x4x2xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<1x2x2x2x3x4xf32>) outs(%0 : tensor<1x2x3x2x4x2xf32>) permutation = [0, 1, 4, 2, 5, 3]
    %collapsed = tensor.collapse_shape %transposed [[0], [1], [2, 3], [4, 5]] : tensor<1x2x3x2x4x2xf32> into tensor<1x2x6x8xf32>
    return %collapsed : tensor<1x2x6x8xf32>
  }
}
