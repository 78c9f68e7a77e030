// JAX 0.10.2, lowered to linalg: a convolution with strides 2, NHWC
// RUN: %python %S/../../Inputs/arrays.py %t 1x13x13x3 3x3x3x4
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<1x13x13x3xf32>, %arg1: tensor<3x3x3x4xf32>) -> (tensor<1x6x6x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x6x6x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x13x13x3xf32>, tensor<3x3x3x4xf32>) outs(%1 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
    return %2 : tensor<1x6x6x4xf32>
  }
}
