// PyTorch 2.15, lowered to linalg by torch-mlir: F.conv1d(x, w, b, stride=2, dilation=2)
// RUN: %python %S/../../Inputs/arrays.py %t 1x3x15 4x3x3 4
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --check
module {
  func.func @main(%arg0: tensor<1x3x15xf32>, %arg1: tensor<4x3x3xf32>, %arg2: tensor<4xf32>) -> tensor<1x4x6xf32> {
    %0 = tensor.empty() : tensor<1x4x6xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<4xf32>) outs(%0 : tensor<1x4x6xf32>) dimensions = [0, 2]
    %1 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%arg0, %arg1 : tensor<1x3x15xf32>, tensor<4x3x3xf32>) outs(%broadcasted : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
    return %1 : tensor<1x4x6xf32>
  }
}
