// Scans of torch-mlir in generic form: exclusive ones, and the last value.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 4x9 4 9 1x9 0x9
// RUN: %against-numpy mdh run %s --function rows --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function columns --input %t0.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function total --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function once --input %t3.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function once_inclusive --input %t3.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function never --input %t4.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_rows --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function numbers --raise required --check
// RUN: mdh run %s --function numbers | FileCheck %s --check-prefix=NUMBERS

// CHECK-LABEL: @rows
// CHECK:       tensor.insert_slice
// CHECK:       !mdh.mda<4x8, f32>
// CHECK:       init(%{{.*}} : !mdh.mda<4x1, f32>) combine [#mdh.cc, #mdh.ps<[add]>]
// CHECK:       tensor.extract_slice %{{.*}}[0, 8] [4, 1] [1, 1]
func.func @rows(%x: tensor<4x9xf32>, %start: tensor<4xf32>) -> (tensor<4x9xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 1 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<4xf32>) -> (tensor<4x9xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4x9xf32>, tensor<4xf32>
}

// CHECK-LABEL: @columns
// CHECK:       combine [#mdh.ps<[max]>, #mdh.cc]
func.func @columns(%x: tensor<4x9xf32>, %start: tensor<9xf32>) -> (tensor<4x9xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<4x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<9xf32>) -> (tensor<4x9xf32>, tensor<9xf32>)
  return %r#0, %r#1 : tensor<4x9xf32>, tensor<9xf32>
}

// CHECK-LABEL: @total
// CHECK:       !mdh.mda<4x9, f32>
// CHECK:       tensor.extract_slice
func.func @total(%x: tensor<4x9xf32>, %start: tensor<4xf32>) -> (tensor<4x9xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<4xf32>) -> (tensor<4x9xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4x9xf32>, tensor<4xf32>
}

// CHECK-LABEL: @once
// CHECK-NOT:   mdh.hom.md_hom
func.func @once(%x: tensor<1x9xf32>, %start: tensor<9xf32>) -> (tensor<1x9xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<1x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<1x9xf32>, tensor<1x9xf32>, tensor<9xf32>) -> (tensor<1x9xf32>, tensor<9xf32>)
  return %r#0, %r#1 : tensor<1x9xf32>, tensor<9xf32>
}

// With one value, the accumulator stays.
// CHECK-LABEL: @once_inclusive
// CHECK:       return %{{.*}}, %arg1
func.func @once_inclusive(%x: tensor<1x9xf32>, %start: tensor<9xf32>) -> (tensor<1x9xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<1x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 0 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<1x9xf32>, tensor<1x9xf32>, tensor<9xf32>) -> (tensor<1x9xf32>, tensor<9xf32>)
  return %r#0, %r#1 : tensor<1x9xf32>, tensor<9xf32>
}

// CHECK-LABEL: @never
func.func @never(%x: tensor<0x9xf32>, %start: tensor<9xf32>) -> (tensor<0x9xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<0x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<0x9xf32>, tensor<0x9xf32>, tensor<9xf32>) -> (tensor<0x9xf32>, tensor<9xf32>)
  return %r#0, %r#1 : tensor<0x9xf32>, tensor<9xf32>
}

func.func @dynamic_rows(%x: tensor<?x9xf32>, %start: tensor<?xf32>) -> (tensor<?x9xf32>, tensor<?xf32>) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 1 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tm_tensor.yield"(%s) : (f32) -> ()
  }) : (tensor<?x9xf32>, tensor<?x9xf32>, tensor<?xf32>) -> (tensor<?x9xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?x9xf32>, tensor<?xf32>
}

// NUMBERS: [10 11 13 16]
// NUMBERS: 16
func.func @numbers() -> (tensor<4xi32>, tensor<i32>) {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %start = arith.constant dense<10> : tensor<i32>
  %e = tensor.empty() : tensor<4xi32>
  %r:2 = "tm_tensor.scan"(%x, %e, %start) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    "tm_tensor.yield"(%s) : (i32) -> ()
  }) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<i32>
}
