// PyTorch 2.15, lowered to linalg by torch-mlir: F.relu(F.conv2d(x, w, padding=1))
// RUN: %python %S/../../Inputs/arrays.py %t 1x3x9x9 4x3x3x3
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x3x9x9xf32>, %arg1: tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<1x3x9x9xf32> to tensor<1x3x11x11xf32>
    %0 = tensor.empty() : tensor<1x4x9x9xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x3x11x11xf32>, tensor<4x3x3x3xf32>) outs(%1 : tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x4x9x9xf32>) outs(%0 : tensor<1x4x9x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.cmpf ugt, %in, %cst : f32
      %5 = arith.select %4, %in, %cst : f32
      linalg.yield %5 : f32
    } -> tensor<1x4x9x9xf32>
    return %3 : tensor<1x4x9x9xf32>
  }
}
