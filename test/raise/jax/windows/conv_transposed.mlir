// JAX 0.10.2, lowered to linalg: lax.conv_transpose(x, w, (2,), 'SAME'), NWC and WIO
// RUN: %python %S/../../Inputs/arrays.py %t 1x7x3 4x3x2
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
module @jit__lambda {
  func.func public @main(%arg0: tensor<1x7x3xf32>, %arg1: tensor<4x3x2xf32>) -> (tensor<1x14x2xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x14x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x14x2xf32>) -> tensor<1x14x2xf32>
    %2 = tensor.empty() : tensor<1x17x3xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x17x3xf32>) -> tensor<1x17x3xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %3[0, 2, 0] [1, 7, 3] [1, 2, 1] : tensor<1x7x3xf32> into tensor<1x17x3xf32>
    %4 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%inserted_slice, %arg1 : tensor<1x17x3xf32>, tensor<4x3x2xf32>) outs(%1 : tensor<1x14x2xf32>) -> tensor<1x14x2xf32>
    return %4 : tensor<1x14x2xf32>
  }
}
