// PyTorch 2.15, lowered to linalg by torch-mlir: F.conv2d(x, w, groups=3)
// RUN: %python %S/../../Inputs/arrays.py %t 1x3x7x6 3x1x3x3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module {
  func.func @main(%arg0: tensor<1x3x7x6xf32>, %arg1: tensor<3x1x3x3xf32>) -> tensor<1x3x5x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x3x5x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x5x4xf32>) -> tensor<1x3x5x4xf32>
    %collapsed = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<3x1x3x3xf32> into tensor<3x3x3xf32>
    %2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %collapsed : tensor<1x3x7x6xf32>, tensor<3x3x3xf32>) outs(%1 : tensor<1x3x5x4xf32>) -> tensor<1x3x5x4xf32>
    return %2 : tensor<1x3x5x4xf32>
  }
}
