// The order of zeros, and NaN, in `max` and `min`: the bits of results are compared; 2 stands for the bits of a NaN.
// RUN: mdh run %s --function functions --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function operators --check 2>&1 | FileCheck %s
// RUN: %if opencl %{ mdh run %s --function functions --engine opencl --check 2>&1 | FileCheck %s %}
// RUN: %if opencl %{ mdh run %s --function operators --engine opencl --check 2>&1 | FileCheck %s %}
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

// -1, -0, 0, 1 or NaN, selected by a number.
func.func private @special(%i: index) -> f32 {
  %five = arith.constant 5 : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %k = arith.remui %i, %five : index
  %minus_zero = arith.constant -0.0 : f32
  %is_zero = arith.cmpi eq, %k, %zero : index
  %is_one = arith.cmpi eq, %k, %one : index
  %is_three = arith.cmpi eq, %k, %three : index
  %is_four = arith.cmpi eq, %k, %four : index
  %plus_zero = arith.constant 0.0 : f32
  %unit = arith.constant 1.0 : f32
  %minus_unit = arith.constant -1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %a = arith.select %is_zero, %minus_zero, %plus_zero : f32
  %b = arith.select %is_one, %unit, %a : f32
  %c = arith.select %is_three, %minus_unit, %b : f32
  %d = arith.select %is_four, %nan, %c : f32
  return %d : f32
}

func.func private @bits(%x: f64) -> i64 {
  %two = arith.constant 2.0 : f64
  %is_nan = arith.cmpf uno, %x, %x : f64
  %y = arith.select %is_nan, %two, %x : f64
  %bits = arith.bitcast %y : f64 to i64
  return %bits : i64
}

func.func @functions() -> (tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>) {
  %none = mdh.view.inp_view : () -> !mdh.mda<5x40>
  %pairs = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %x = func.call @special(%i) : (index) -> f32
    %y = func.call @special(%j) : (index) -> f32
    %wide_x = arith.extf %x : f32 to f64
    %wide_y = arith.extf %y : f32 to f64
    %half_x = arith.truncf %x : f32 to f16
    %half_y = arith.truncf %y : f32 to f16
    %short_x = arith.truncf %x : f32 to bf16
    %short_y = arith.truncf %y : f32 to bf16
    %zero = arith.constant 0.0 : f32
    %minus_zero = arith.constant -0.0 : f32
    %maximum = arith.maximumf %x, %y : f32
    %wide_minimum = arith.minimumf %wide_x, %wide_y : f64
    %half_maximum = arith.maximumf %half_x, %half_y : f16
    %short_minimum = arith.minimumf %short_x, %short_y : bf16
    %clamped = math.clampf %x to [%minus_zero, %zero] : f32
    %number = arith.maxnumf %x, %y : f32
    %a = arith.extf %maximum : f32 to f64
    %c = arith.extf %half_maximum : f16 to f64
    %d = arith.extf %short_minimum : bf16 to f64
    %e = arith.extf %clamped : f32 to f64
    %f = arith.extf %number : f32 to f64
    %a_bits = func.call @bits(%a) : (f64) -> i64
    %b_bits = func.call @bits(%wide_minimum) : (f64) -> i64
    %c_bits = func.call @bits(%c) : (f64) -> i64
    %d_bits = func.call @bits(%d) : (f64) -> i64
    %e_bits = func.call @bits(%e) : (f64) -> i64
    %f_bits = func.call @bits(%f) : (f64) -> i64
    mdh.hom.yield %a_bits, %b_bits, %c_bits, %d_bits, %e_bits, %f_bits : i64, i64, i64, i64, i64, i64
  } : !mdh.mda<5x40> -> !mdh.mda<5x40, i64, i64, i64, i64, i64, i64>
  %r:6 = mdh.view.out_view %pairs[affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>],
      [affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>]
      : !mdh.mda<5x40, i64, i64, i64, i64, i64, i64>
      -> tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>, tensor<5x40xi64>
}

// Rows of zeros of both signs: each has one zero, at varying positions, that must be the result.
func.func @operators() -> (tensor<70xi32>, tensor<70xi32>) {
  %none = mdh.view.inp_view : () -> !mdh.mda<70x100>
  %rows = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<[max, min]>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %one = arith.cmpi eq, %i, %j : index
    %zero = arith.constant 0.0 : f32
    %minus_zero = arith.constant -0.0 : f32
    %x = arith.select %one, %zero, %minus_zero : f32
    %y = arith.select %one, %minus_zero, %zero : f32
    mdh.hom.yield %x, %y : f32, f32
  } : !mdh.mda<70x100> -> !mdh.mda<70x1, f32, f32>
  %r:2 = mdh.view.out_view %rows[affine_map<(i, j) -> (i)>], [affine_map<(i, j) -> (i)>]
      : !mdh.mda<70x1, f32, f32> -> tensor<70xf32>, tensor<70xf32>
  %in = mdh.view.inp_view %r#0[affine_map<(i) -> (i)>], %r#1[affine_map<(i) -> (i)>] : (tensor<70xf32>, tensor<70xf32>) -> !mdh.mda<70, f32, f32>
  %bits = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: f32, %y: f32):
    %a = arith.bitcast %x : f32 to i32
    %b = arith.bitcast %y : f32 to i32
    mdh.hom.yield %a, %b : i32, i32
  } : !mdh.mda<70, f32, f32> -> !mdh.mda<70, i32, i32>
  %s:2 = mdh.view.out_view %bits[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>] : !mdh.mda<70, i32, i32> -> tensor<70xi32>, tensor<70xi32>
  return %s#0, %s#1 : tensor<70xi32>, tensor<70xi32>
}
