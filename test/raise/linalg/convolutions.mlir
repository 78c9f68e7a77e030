// Convolutions in all layouts.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 12 3 9x8 3x2 5x6x5 2x3x2 2x11x3 3x3x4 2x3x11 4x3x3 2x8x9x3 3x2x3x4 4x3x2x3 2x3x8x9 4x3x3x2 2x2x3x6x5 4x2x3x3x2 1x5x6x5x2 2x3x2x2x3 1x2x5x6x5 3x2x2x3x2 3x3 3x2x3 3x3x2 3x2x3x2 2x3x2x2 2x8x9x3:i8@9 3x2x3x4:i8@9 10
// RUN: %against-numpy mdh run %s --function conv_1d --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function conv_2d --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function conv_3d --input %t4.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nwc --input %t6.npy --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ncw --input %t8.npy --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_hwcf --input %t10.npy --input %t11.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nhwc_fhwc --input %t10.npy --input %t12.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nchw_fchw --input %t13.npy --input %t14.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nchw_groups --input %t15.npy --input %t16.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ndhwc --input %t17.npy --input %t18.npy --raise required --check
// RUN: %against-numpy mdh run %s --function ncdhw --input %t19.npy --input %t20.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_nwc --input %t6.npy --input %t21.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_ncw --input %t8.npy --input %t21.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_nhwc --input %t10.npy --input %t22.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_nchw --input %t13.npy --input %t23.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_several --input %t10.npy --input %t24.npy --raise required --check
// RUN: %against-numpy mdh run %s --function depthwise_ndhwc --input %t17.npy --input %t25.npy --raise required --check
// RUN: %against-numpy mdh run %s --function quantized --input %t26.npy --input %t27.npy --raise required --check
// RUN: %against-numpy mdh run %s --function added --input %t0.npy --input %t1.npy --input %t28.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t10.npy --input %t11.npy --raise required --check

// Without batches and channels.
// CHECK-LABEL: @conv_1d
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @conv_1d(%x: tensor<12xf32>, %w: tensor<3xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<10xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<10xf32>) -> tensor<10xf32>
  %r = linalg.conv_1d ins(%x, %w : tensor<12xf32>, tensor<3xf32>) outs(%start : tensor<10xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// CHECK-LABEL: @conv_2d
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @conv_2d(%x: tensor<9x8xf32>, %w: tensor<3x2xf32>) -> tensor<7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x7xf32>) -> tensor<7x7xf32>
  %r = linalg.conv_2d ins(%x, %w : tensor<9x8xf32>, tensor<3x2xf32>) outs(%start : tensor<7x7xf32>) -> tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}

// CHECK-LABEL: @conv_3d
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @conv_3d(%x: tensor<5x6x5xf32>, %w: tensor<2x3x2xf32>) -> tensor<4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %r = linalg.conv_3d ins(%x, %w : tensor<5x6x5xf32>, tensor<2x3x2xf32>) outs(%start : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %r : tensor<4x4x4xf32>
}

// Strides of 2.
// CHECK-LABEL: @nwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @nwc(%x: tensor<2x11x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %w : tensor<2x11x3xf32>, tensor<3x3x4xf32>) outs(%start : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// Elements of a window have a distance of 2.
// CHECK-LABEL: @ncw
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @ncw(%x: tensor<2x3x11xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %r = linalg.conv_1d_ncw_fcw {strides = dense<1> : vector<1xi64>, dilations = dense<2> : vector<1xi64>} ins(%x, %w : tensor<2x3x11xf32>, tensor<4x3x3xf32>) outs(%start : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  return %r : tensor<2x4x7xf32>
}

// CHECK-LABEL: @nhwc_hwcf
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @nhwc_hwcf(%x: tensor<2x8x9x3xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<2x3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x8x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x8x9x3xf32>, tensor<3x2x3x4xf32>) outs(%start : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %r : tensor<2x3x8x4xf32>
}

// CHECK-LABEL: @nhwc_fhwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @nhwc_fhwc(%x: tensor<2x8x9x3xf32>, %w: tensor<4x3x2x3xf32>) -> tensor<2x6x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x6x4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  %r = linalg.conv_2d_nhwc_fhwc {strides = dense<[1, 2]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x8x9x3xf32>, tensor<4x3x2x3xf32>) outs(%start : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  return %r : tensor<2x6x4x4xf32>
}

// CHECK-LABEL: @nchw_fchw
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @nchw_fchw(%x: tensor<2x3x8x9xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<2x4x4x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4x4x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4x4x7xf32>) -> tensor<2x4x4x7xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<2> : vector<2xi64>} ins(%x, %w : tensor<2x3x8x9xf32>, tensor<4x3x3x2xf32>) outs(%start : tensor<2x4x4x7xf32>) -> tensor<2x4x4x7xf32>
  return %r : tensor<2x4x4x7xf32>
}

// Groups of channels.
// CHECK-LABEL: @nchw_groups
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @nchw_groups(%x: tensor<2x2x3x6x5xf32>, %w: tensor<4x2x3x3x2xf32>) -> tensor<2x2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2x4x4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2x4x4x4xf32>) -> tensor<2x2x4x4x4xf32>
  %r = linalg.conv_2d_ngchw_fgchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x2x3x6x5xf32>, tensor<4x2x3x3x2xf32>) outs(%start : tensor<2x2x4x4x4xf32>) -> tensor<2x2x4x4x4xf32>
  return %r : tensor<2x2x4x4x4xf32>
}

// CHECK-LABEL: @ndhwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @ndhwc(%x: tensor<1x5x6x5x2xf32>, %w: tensor<2x3x2x2x3xf32>) -> tensor<1x4x4x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x4x4x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x4x4x3xf32>) -> tensor<1x4x4x4x3xf32>
  %r = linalg.conv_3d_ndhwc_dhwcf {strides = dense<1> : vector<3xi64>, dilations = dense<1> : vector<3xi64>} ins(%x, %w : tensor<1x5x6x5x2xf32>, tensor<2x3x2x2x3xf32>) outs(%start : tensor<1x4x4x4x3xf32>) -> tensor<1x4x4x4x3xf32>
  return %r : tensor<1x4x4x4x3xf32>
}

// CHECK-LABEL: @ncdhw
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @ncdhw(%x: tensor<1x2x5x6x5xf32>, %w: tensor<3x2x2x3x2xf32>) -> tensor<1x3x2x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x3x2x2x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x2x2xf32>
  %r = linalg.conv_3d_ncdhw_fcdhw {strides = dense<2> : vector<3xi64>, dilations = dense<1> : vector<3xi64>} ins(%x, %w : tensor<1x2x5x6x5xf32>, tensor<3x2x2x3x2xf32>) outs(%start : tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x2x2xf32>
  return %r : tensor<1x3x2x2x2xf32>
}

// Each channel has its weights.
// CHECK-LABEL: @depthwise_nwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_nwc(%x: tensor<2x11x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x9x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x9x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %r = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %w : tensor<2x11x3xf32>, tensor<3x3xf32>) outs(%start : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  return %r : tensor<2x9x3xf32>
}

// CHECK-LABEL: @depthwise_ncw
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_ncw(%x: tensor<2x3x11xf32>, %w: tensor<3x3xf32>) -> tensor<2x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x5xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %r = linalg.depthwise_conv_1d_ncw_cw {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %w : tensor<2x3x11xf32>, tensor<3x3xf32>) outs(%start : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: @depthwise_nhwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_nhwc(%x: tensor<2x8x9x3xf32>, %w: tensor<3x2x3xf32>) -> tensor<2x3x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x4x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x8x9x3xf32>, tensor<3x2x3xf32>) outs(%start : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  return %r : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: @depthwise_nchw
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_nchw(%x: tensor<2x3x8x9xf32>, %w: tensor<3x3x2xf32>) -> tensor<2x3x4x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x4x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : vector<2xi64>, dilations = dense<2> : vector<2xi64>} ins(%x, %w : tensor<2x3x8x9xf32>, tensor<3x3x2xf32>) outs(%start : tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  return %r : tensor<2x3x4x7xf32>
}

// Several results for each channel.
// CHECK-LABEL: @depthwise_several
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_several(%x: tensor<2x8x9x3xf32>, %w: tensor<3x2x3x2xf32>) -> tensor<2x6x8x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x6x8x3x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x6x8x3x2xf32>) -> tensor<2x6x8x3x2xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x8x9x3xf32>, tensor<3x2x3x2xf32>) outs(%start : tensor<2x6x8x3x2xf32>) -> tensor<2x6x8x3x2xf32>
  return %r : tensor<2x6x8x3x2xf32>
}

// CHECK-LABEL: @depthwise_ndhwc
// CHECK: combine [#mdh.cc{{.*}}#mdh.pw<[add]>
func.func @depthwise_ndhwc(%x: tensor<1x5x6x5x2xf32>, %w: tensor<2x3x2x2xf32>) -> tensor<1x4x4x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x4x4x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  %r = linalg.depthwise_conv_3d_ndhwc_dhwc {strides = dense<1> : vector<3xi64>, dilations = dense<1> : vector<3xi64>} ins(%x, %w : tensor<1x5x6x5x2xf32>, tensor<2x3x2x2xf32>) outs(%start : tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  return %r : tensor<1x4x4x4x2xf32>
}

// Bytes with zero points, and sums in 32 bits.
// CHECK-LABEL: @quantized
func.func @quantized(%x: tensor<2x8x9x3xi8>, %w: tensor<3x2x3x4xi8>) -> tensor<2x6x8x4xi32> {
  %zero = arith.constant 0 : i32
  %zero_of_x = arith.constant 3 : i32
  %zero_of_w = arith.constant -2 : i32
  %empty = tensor.empty() : tensor<2x6x8x4xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x6x8x4xi32>) -> tensor<2x6x8x4xi32>
  %r = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w, %zero_of_x, %zero_of_w : tensor<2x8x9x3xi8>, tensor<3x2x3x4xi8>, i32, i32) outs(%start : tensor<2x6x8x4xi32>) -> tensor<2x6x8x4xi32>
  return %r : tensor<2x6x8x4xi32>
}

// The results are added to the elements of the output.
// CHECK-LABEL: @added
// CHECK: init(
func.func @added(%x: tensor<12xf32>, %w: tensor<3xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<12xf32>, tensor<3xf32>) outs(%y : tensor<10xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?x?x?x3xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<?x?x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %w1 = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %p = arith.subi %h, %c2 : index
  %q = arith.subi %w1, %c1 : index
  %empty = tensor.empty(%n, %p, %q) : tensor<?x?x?x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<?x?x?x3xf32>, tensor<3x2x3x4xf32>) outs(%start : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  return %r : tensor<?x?x?x4xf32>
}
