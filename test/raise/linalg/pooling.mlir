// Pooling: maxima, minima and sums of windows in all layouts.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 2x9x8x3 2x3x9x8 2x11x3 2x3x11 1x5x6x5x2 2x9x8x3:i8@100
// RUN: %against-numpy mdh run %s --function nhwc_max --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_min --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_sum --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_max_unsigned --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_min_unsigned --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nchw_max --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nchw_sum --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nwc_max --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nwc_sum --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ncw_max --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ndhwc_sum --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ndhwc_min --input %t4.npy --raise required --check

// CHECK-LABEL: @nhwc_max
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<[max]>, #mdh.pw<[max]>]
func.func @nhwc_max(%x: tensor<2x9x8x3xf32>) -> tensor<2x4x3x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x4x3x3xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x9x8x3xf32>, tensor<2x3xf32>) outs(%start : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %r : tensor<2x4x3x3xf32>
}

// Elements of a window have a distance of 2.
// CHECK-LABEL: @nhwc_min
// CHECK: #mdh.pw<[min]>, #mdh.pw<[min]>]
func.func @nhwc_min(%x: tensor<2x9x8x3xf32>) -> tensor<2x5x4x3xf32> {
  %high = arith.constant 0x7F800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<2x5x4x3xf32>
  %start = linalg.fill ins(%high : f32) outs(%empty : tensor<2x5x4x3xf32>) -> tensor<2x5x4x3xf32>
  %r = linalg.pooling_nhwc_min {strides = dense<1> : vector<2xi64>, dilations = dense<2> : vector<2xi64>} ins(%x, %window : tensor<2x9x8x3xf32>, tensor<3x3xf32>) outs(%start : tensor<2x5x4x3xf32>) -> tensor<2x5x4x3xf32>
  return %r : tensor<2x5x4x3xf32>
}

// CHECK-LABEL: @nhwc_sum
func.func @nhwc_sum(%x: tensor<2x9x8x3xf32>) -> tensor<2x3x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<3x2xf32>
  %empty = tensor.empty() : tensor<2x3x4x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %r = linalg.pooling_nhwc_sum {strides = dense<[3, 2]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x9x8x3xf32>, tensor<3x2xf32>) outs(%start : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  return %r : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: @nhwc_max_unsigned
func.func @nhwc_max_unsigned(%x: tensor<2x9x8x3xi8>) -> tensor<2x4x3x3xi8> {
  %low = arith.constant 0 : i8
  %window = tensor.empty() : tensor<2x3xi8>
  %empty = tensor.empty() : tensor<2x4x3x3xi8>
  %start = linalg.fill ins(%low : i8) outs(%empty : tensor<2x4x3x3xi8>) -> tensor<2x4x3x3xi8>
  %r = linalg.pooling_nhwc_max_unsigned {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x9x8x3xi8>, tensor<2x3xi8>) outs(%start : tensor<2x4x3x3xi8>) -> tensor<2x4x3x3xi8>
  return %r : tensor<2x4x3x3xi8>
}

// CHECK-LABEL: @nhwc_min_unsigned
func.func @nhwc_min_unsigned(%x: tensor<2x9x8x3xi8>) -> tensor<2x4x3x3xi8> {
  %high = arith.constant -1 : i8
  %window = tensor.empty() : tensor<2x3xi8>
  %empty = tensor.empty() : tensor<2x4x3x3xi8>
  %start = linalg.fill ins(%high : i8) outs(%empty : tensor<2x4x3x3xi8>) -> tensor<2x4x3x3xi8>
  %r = linalg.pooling_nhwc_min_unsigned {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x9x8x3xi8>, tensor<2x3xi8>) outs(%start : tensor<2x4x3x3xi8>) -> tensor<2x4x3x3xi8>
  return %r : tensor<2x4x3x3xi8>
}

// The initial value is larger than some elements.
// CHECK-LABEL: @nchw_max
func.func @nchw_max(%x: tensor<2x3x9x8xf32>) -> tensor<2x3x8x7xf32> {
  %zero = arith.constant 0.5 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<2x3x8x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x8x7xf32>) -> tensor<2x3x8x7xf32>
  %r = linalg.pooling_nchw_max {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x3x9x8xf32>, tensor<2x2xf32>) outs(%start : tensor<2x3x8x7xf32>) -> tensor<2x3x8x7xf32>
  return %r : tensor<2x3x8x7xf32>
}

// CHECK-LABEL: @nchw_sum
func.func @nchw_sum(%x: tensor<2x3x9x8xf32>) -> tensor<2x3x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<2x3x3x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x3x2xf32>) -> tensor<2x3x3x2xf32>
  %r = linalg.pooling_nchw_sum {strides = dense<3> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %window : tensor<2x3x9x8xf32>, tensor<3x3xf32>) outs(%start : tensor<2x3x3x2xf32>) -> tensor<2x3x3x2xf32>
  return %r : tensor<2x3x3x2xf32>
}

// CHECK-LABEL: @nwc_max
func.func @nwc_max(%x: tensor<2x11x3xf32>) -> tensor<2x5x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3xf32>
  %empty = tensor.empty() : tensor<2x5x3xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %r = linalg.pooling_nwc_max {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %window : tensor<2x11x3xf32>, tensor<3xf32>) outs(%start : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// CHECK-LABEL: @nwc_sum
func.func @nwc_sum(%x: tensor<2x11x3xf32>) -> tensor<2x9x3xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<3xf32>
  %empty = tensor.empty() : tensor<2x9x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %r = linalg.pooling_nwc_sum {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %window : tensor<2x11x3xf32>, tensor<3xf32>) outs(%start : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  return %r : tensor<2x9x3xf32>
}

// CHECK-LABEL: @ncw_max
func.func @ncw_max(%x: tensor<2x3x11xf32>) -> tensor<2x3x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2xf32>
  %empty = tensor.empty() : tensor<2x3x4xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %r = linalg.pooling_ncw_max {strides = dense<3> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %window : tensor<2x3x11xf32>, tensor<2xf32>) outs(%start : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: @ndhwc_sum
func.func @ndhwc_sum(%x: tensor<1x5x6x5x2xf32>) -> tensor<1x2x3x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<2x2x3xf32>
  %empty = tensor.empty() : tensor<1x2x3x2x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  %r = linalg.pooling_ndhwc_sum {strides = dense<2> : vector<3xi64>, dilations = dense<1> : vector<3xi64>} ins(%x, %window : tensor<1x5x6x5x2xf32>, tensor<2x2x3xf32>) outs(%start : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  return %r : tensor<1x2x3x2x2xf32>
}

// CHECK-LABEL: @ndhwc_min
func.func @ndhwc_min(%x: tensor<1x5x6x5x2xf32>) -> tensor<1x4x5x4x2xf32> {
  %high = arith.constant 0x7F800000 : f32
  %window = tensor.empty() : tensor<2x2x2xf32>
  %empty = tensor.empty() : tensor<1x4x5x4x2xf32>
  %start = linalg.fill ins(%high : f32) outs(%empty : tensor<1x4x5x4x2xf32>) -> tensor<1x4x5x4x2xf32>
  %r = linalg.pooling_ndhwc_min {strides = dense<1> : vector<3xi64>, dilations = dense<1> : vector<3xi64>} ins(%x, %window : tensor<1x5x6x5x2xf32>, tensor<2x2x2xf32>) outs(%start : tensor<1x4x5x4x2xf32>) -> tensor<1x4x5x4x2xf32>
  return %r : tensor<1x4x5x4x2xf32>
}
