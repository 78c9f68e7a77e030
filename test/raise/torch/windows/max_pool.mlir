// PyTorch 2.15, lowered to linalg by torch-mlir: F.max_pool2d(x, 2)
// RUN: %python %S/../../Inputs/arrays.py %t 1x3x8x8
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
module {
  func.func @main(%arg0: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x3x4x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %2 = tensor.empty() : tensor<2x2xf32>
    %3 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%arg0, %2 : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%1 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    return %3 : tensor<1x3x4x4xf32>
  }
}
