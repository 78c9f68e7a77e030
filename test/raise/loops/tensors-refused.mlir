// Loops on tensors that stay give the same results.
// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics
// RUN: mdh-opt %s --mdh-raise --split-input-file 2>/dev/null | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 16 16 5x16
// RUN: %against-numpy mdh run %s --function recurrence --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function before_a_change --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function swapped --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function inner --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function constant --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function last --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function other_counters --input -3 --check
// RUN: %against-numpy mdh run %s --function other_counters --input 7 --check

// CHECK-LABEL: @recurrence
// CHECK:       scf.for
func.func @recurrence(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<16xf32>
  // expected-remark @below {{is not raised: requires that output 1 is combined by an associative operation on it and a value, but arith.mulf uses it}}
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %half, %t = %e) -> (f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %h = arith.mulf %c, %half : f32
    %s = arith.addf %h, %v : f32
    %n = tensor.insert %s into %t[%i] : tensor<16xf32>
    scf.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}

// -----

// CHECK-LABEL: @before_a_change
// CHECK:       scf.for
func.func @before_a_change(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  // expected-remark @below {{is not raised: requires the last values of tensors, but a loop uses one from before a change}}
  %r = scf.for %i = %c0 to %c15 step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %t[%j] : tensor<16xf32>
    %n = tensor.insert %a into %t[%i] : tensor<16xf32>
    %b = tensor.extract %t[%i] : tensor<16xf32>
    %m = tensor.insert %b into %n[%j] : tensor<16xf32>
    scf.yield %m : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// CHECK-LABEL: @swapped
// CHECK:       scf.for
func.func @swapped(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-remark @below {{is not raised: requires that a loop passes on the last value of each tensor at its position}}
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %x, %u = %y) -> (tensor<16xf32>, tensor<16xf32>) {
    %a = tensor.extract %t[%i] : tensor<16xf32>
    %n = tensor.insert %a into %u[%i] : tensor<16xf32>
    scf.yield %n, %t : tensor<16xf32>, tensor<16xf32>
  }
  return %r#0 : tensor<16xf32>
}

// -----

// CHECK-LABEL: @inner
// CHECK:       scf.for
func.func @inner(%x: tensor<5x16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  // expected-remark @below {{is not raised: requires that the outermost loop carries each tensor that a loop in it carries}}
  %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%c = %zero) -> (f32) {
    %w = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %e) -> (tensor<16xf32>) {
      %a = tensor.extract %x[%k, %i] : tensor<5x16xf32>
      %n = tensor.insert %a into %t[%i] : tensor<16xf32>
      scf.yield %n : tensor<16xf32>
    }
    %b = tensor.extract %w[%k] : tensor<16xf32>
    %s = arith.addf %c, %b : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// CHECK-LABEL: @constant
// CHECK:       scf.for
func.func @constant(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-remark @below {{is not raised: requires insertions into tensors that the outermost loop carries}}
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %a = tensor.extract %t[%i] : tensor<16xf32>
    %n = tensor.insert %a into %y[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// An element is written by each iteration, and the last one remains.
// CHECK-LABEL: @last
// CHECK:       scf.for
func.func @last(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-remark @below {{is not raised: requires a region that combines values with output 1, but it does not read it}}
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %y) -> (tensor<16xf32>) {
    %a = tensor.extract %x[%i] : tensor<16xf32>
    %m = tensor.insert %a into %t[%c0] : tensor<16xf32>
    scf.yield %m : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// The step is a value.
// CHECK-LABEL: @other_counters
// CHECK:       scf.while
func.func @other_counters(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%i = %c0, %k = %n) : (i32, i32) -> (i32, i32) {
    %m = arith.cmpi slt, %i, %n : i32
    scf.condition(%m) %i, %k : i32, i32
  } do {
  ^bb0(%i: i32, %k: i32):
    %j = arith.addi %i, %k : i32
    scf.yield %j, %k : i32, i32
  }
  return %r#0 : i32
}
