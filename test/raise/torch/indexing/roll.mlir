// PyTorch 2.15, lowered to linalg by torch-mlir: torch.roll(x, (2, -3), (0, 1))
// RUN: %python %S/../../Inputs/arrays.py %t 5x7
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
module {
  func.func @main(%arg0: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %extracted_slice = tensor.extract_slice %arg0[3, 0] [2, 7] [1, 1] : tensor<5x7xf32> to tensor<2x7xf32>
    %cast = tensor.cast %extracted_slice : tensor<2x7xf32> to tensor<?x7xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0] [3, 7] [1, 1] : tensor<5x7xf32> to tensor<3x7xf32>
    %cast_1 = tensor.cast %extracted_slice_0 : tensor<3x7xf32> to tensor<?x7xf32>
    %concat = tensor.concat dim(0) %cast, %cast_1 : (tensor<?x7xf32>, tensor<?x7xf32>) -> tensor<5x7xf32>
    %extracted_slice_2 = tensor.extract_slice %concat[0, 3] [5, 4] [1, 1] : tensor<5x7xf32> to tensor<5x4xf32>
    %cast_3 = tensor.cast %extracted_slice_2 : tensor<5x4xf32> to tensor<5x?xf32>
    %extracted_slice_4 = tensor.extract_slice %concat[0, 0] [5, 3] [1, 1] : tensor<5x7xf32> to tensor<5x3xf32>
    %cast_5 = tensor.cast %extracted_slice_4 : tensor<5x3xf32> to tensor<5x?xf32>
    %concat_6 = tensor.concat dim(1) %cast_3, %cast_5 : (tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x7xf32>
    return %concat_6 : tensor<5x7xf32>
  }
}
