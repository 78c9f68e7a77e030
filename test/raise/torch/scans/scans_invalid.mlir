// Scans of torch-mlir that are not supported are errors, because no pass lowers them.
// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %start: tensor<f32>) -> tensor<?xf32> {
  // expected-error @below {{cannot be raised: requires a static size along the dimension of the scan, but the input has type tensor<?xf32>}}
  %r:2 = "tm_tensor.scan"(%x, %y, %start) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<?xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
  return %r#0 : tensor<?xf32>
}

// -----

func.func @difference(%x: tensor<7xf32>, %y: tensor<7xf32>, %start: tensor<f32>) -> tensor<7xf32> {
  // expected-error @below {{cannot be raised: requires an associative operation on two elements, but has arith.subf}}
  %r:2 = "tm_tensor.scan"(%x, %y, %start) <{dimension = 0 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<7xf32>, tensor<7xf32>, tensor<f32>) -> (tensor<7xf32>, tensor<f32>)
  return %r#0 : tensor<7xf32>
}

// -----

func.func @accumulator(%x: tensor<7xf32>, %y: tensor<7xf32>, %start: tensor<1xf32>) -> tensor<7xf32> {
  // expected-error @below {{cannot be raised: requires an accumulator without the scanned axis, but it has type tensor<1xf32>}}
  %r:2 = "tm_tensor.scan"(%x, %y, %start) <{dimension = 0 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<7xf32>, tensor<7xf32>, tensor<1xf32>) -> (tensor<7xf32>, tensor<1xf32>)
  return %r#0 : tensor<7xf32>
}
