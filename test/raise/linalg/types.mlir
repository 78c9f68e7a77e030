// Elements of all types, with reductions by all functions, and operands of different types.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 5x12:i1 5x12:i8@100 5x12:i16@30000 5x12:i64@1000000000000 5x12:f16 5x12:bf16 5x12:f64 5x6:i8@100 6x7:i8@100 5x6:f16 6x7:f16 5x6:bf16 6x7:bf16 5x12 5x6:i1 6x7:i1 1x9x8x3:f16 12:i64@20
// RUN: %against-numpy mdh run %s --function all_and_any --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function parity --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function wrapping_sum --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function extremes --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function bits --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function product --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function unsigned_extremes --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function half_sum --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function half_in_single --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function brain_maximum --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function brain_squares --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function double_norm --input %t6.npy --raise required --check
// RUN: %against-numpy mdh run %s --function bytes_matmul --input %t7.npy --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function unsigned_matmul --input %t7.npy --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function half_matmul --input %t9.npy --input %t10.npy --raise required --check
// RUN: %against-numpy mdh run %s --function brain_matmul --input %t11.npy --input %t12.npy --raise required --check
// RUN: %against-numpy mdh run %s --function conversions --input %t13.npy --raise required --check
// RUN: %against-numpy mdh run %s --function truncated --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function booleans_matmul --input %t14.npy --input %t15.npy --raise required --check
// RUN: %against-numpy mdh run %s --function half_pooling --input %t16.npy --raise required --check
// RUN: %against-numpy mdh run %s --function indices --input %t17.npy --raise required --check

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: @all_and_any
// CHECK: combine [#mdh.cc, #mdh.pw<[and, or]>]
func.func @all_and_any(%x: tensor<5x12xi1>) -> (tensor<5xi1>, tensor<5xi1>) {
  %true = arith.constant true
  %false = arith.constant false
  %e = tensor.empty() : tensor<5xi1>
  %s0 = linalg.fill ins(%true : i1) outs(%e : tensor<5xi1>) -> tensor<5xi1>
  %s1 = linalg.fill ins(%false : i1) outs(%e : tensor<5xi1>) -> tensor<5xi1>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xi1>) outs(%s0, %s1 : tensor<5xi1>, tensor<5xi1>) {
  ^bb0(%a: i1, %o: i1, %p: i1):
    %s = arith.andi %o, %a : i1
    %t = arith.ori %p, %a : i1
    linalg.yield %s, %t : i1, i1
  } -> (tensor<5xi1>, tensor<5xi1>)
  return %r#0, %r#1 : tensor<5xi1>, tensor<5xi1>
}

// CHECK-LABEL: @parity
// CHECK: combine [#mdh.cc, #mdh.pw<[xor]>]
func.func @parity(%x: tensor<5x12xi1>) -> tensor<5xi1> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<5xi1>
  %s0 = linalg.fill ins(%false : i1) outs(%e : tensor<5xi1>) -> tensor<5xi1>
  %r = linalg.reduce { arith.xori } ins(%x : tensor<5x12xi1>) outs(%s0 : tensor<5xi1>) dimensions = [1]
  return %r : tensor<5xi1>
}

// Sums of bytes wrap around.
// CHECK-LABEL: @wrapping_sum
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>]
func.func @wrapping_sum(%x: tensor<5x12xi8>) -> tensor<5xi8> {
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<5xi8>
  %s0 = linalg.fill ins(%zero : i8) outs(%e : tensor<5xi8>) -> tensor<5xi8>
  %r = linalg.reduce { arith.addi } ins(%x : tensor<5x12xi8>) outs(%s0 : tensor<5xi8>) dimensions = [1]
  return %r : tensor<5xi8>
}

// CHECK-LABEL: @extremes
// CHECK: combine [#mdh.cc, #mdh.pw<[min, max]>]
func.func @extremes(%x: tensor<5x12xi16>) -> (tensor<5xi16>, tensor<5xi16>) {
  %high = arith.constant 32767 : i16
  %low = arith.constant -32768 : i16
  %e = tensor.empty() : tensor<5xi16>
  %s0 = linalg.fill ins(%high : i16) outs(%e : tensor<5xi16>) -> tensor<5xi16>
  %s1 = linalg.fill ins(%low : i16) outs(%e : tensor<5xi16>) -> tensor<5xi16>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xi16>) outs(%s0, %s1 : tensor<5xi16>, tensor<5xi16>) {
  ^bb0(%a: i16, %o: i16, %p: i16):
    %s = arith.minsi %o, %a : i16
    %t = arith.maxsi %p, %a : i16
    linalg.yield %s, %t : i16, i16
  } -> (tensor<5xi16>, tensor<5xi16>)
  return %r#0, %r#1 : tensor<5xi16>, tensor<5xi16>
}

// CHECK-LABEL: @bits
// CHECK: combine [#mdh.cc, #mdh.pw<[and, or, xor]>]
func.func @bits(%x: tensor<5x12xi64>) -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>) {
  %ones = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<5xi64>
  %s0 = linalg.fill ins(%ones : i64) outs(%e : tensor<5xi64>) -> tensor<5xi64>
  %s1 = linalg.fill ins(%zero : i64) outs(%e : tensor<5xi64>) -> tensor<5xi64>
  %s2 = linalg.fill ins(%ones : i64) outs(%e : tensor<5xi64>) -> tensor<5xi64>
  %r:3 = linalg.generic {indexing_maps = [#rows, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xi64>) outs(%s0, %s1, %s2 : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>) {
  ^bb0(%a: i64, %o: i64, %p: i64, %q: i64):
    %s = arith.andi %o, %a : i64
    %t = arith.ori %p, %a : i64
    %u = arith.xori %q, %a : i64
    linalg.yield %s, %t, %u : i64, i64, i64
  } -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>)
  return %r#0, %r#1, %r#2 : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>
}

// Products of integers wrap around.
// CHECK-LABEL: @product
// CHECK: combine [#mdh.cc, #mdh.pw<[mul]>]
func.func @product(%x: tensor<5x12xi64>) -> tensor<5xi64> {
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<5xi64>
  %s0 = linalg.fill ins(%one : i64) outs(%e : tensor<5xi64>) -> tensor<5xi64>
  %r = linalg.reduce { arith.muli } ins(%x : tensor<5x12xi64>) outs(%s0 : tensor<5xi64>) dimensions = [1]
  return %r : tensor<5xi64>
}

// CHECK-LABEL: @unsigned_extremes
// CHECK: combine [#mdh.cc, #mdh.pw<@{{.*}}>]
func.func @unsigned_extremes(%x: tensor<5x12xi8>) -> (tensor<5xi8>, tensor<5xi8>) {
  %high = arith.constant -1 : i8
  %low = arith.constant 0 : i8
  %e = tensor.empty() : tensor<5xi8>
  %s0 = linalg.fill ins(%high : i8) outs(%e : tensor<5xi8>) -> tensor<5xi8>
  %s1 = linalg.fill ins(%low : i8) outs(%e : tensor<5xi8>) -> tensor<5xi8>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xi8>) outs(%s0, %s1 : tensor<5xi8>, tensor<5xi8>) {
  ^bb0(%a: i8, %o: i8, %p: i8):
    %s = arith.minui %o, %a : i8
    %t = arith.maxui %p, %a : i8
    linalg.yield %s, %t : i8, i8
  } -> (tensor<5xi8>, tensor<5xi8>)
  return %r#0, %r#1 : tensor<5xi8>, tensor<5xi8>
}

// CHECK-LABEL: @half_sum
func.func @half_sum(%x: tensor<5x12xf16>) -> tensor<5xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5xf16>
  %s0 = linalg.fill ins(%zero : f16) outs(%e : tensor<5xf16>) -> tensor<5xf16>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<5x12xf16>) outs(%s0 : tensor<5xf16>) dimensions = [1]
  return %r : tensor<5xf16>
}

// CHECK-LABEL: @half_in_single
func.func @half_in_single(%x: tensor<5x12xf16>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf16>) outs(%s0 : tensor<5xf32>) {
  ^bb0(%a: f16, %o: f32):
    %b = arith.extf %a : f16 to f32
    %p = arith.mulf %b, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: @brain_maximum
func.func @brain_maximum(%x: tensor<5x12xbf16>) -> tensor<5xbf16> {
  %low = arith.constant 0xFF80 : bf16
  %e = tensor.empty() : tensor<5xbf16>
  %s0 = linalg.fill ins(%low : bf16) outs(%e : tensor<5xbf16>) -> tensor<5xbf16>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<5x12xbf16>) outs(%s0 : tensor<5xbf16>) dimensions = [1]
  return %r : tensor<5xbf16>
}

// Squares of up to 9 bits are rounded to 8.
// CHECK-LABEL: @brain_squares
func.func @brain_squares(%x: tensor<5x12xbf16>) -> tensor<5x12xbf16> {
  %e = tensor.empty() : tensor<5x12xbf16>
  %r = linalg.square ins(%x : tensor<5x12xbf16>) outs(%e : tensor<5x12xbf16>) -> tensor<5x12xbf16>
  return %r : tensor<5x12xbf16>
}

// CHECK-LABEL: @double_norm
func.func @double_norm(%x: tensor<5x12xf64>) -> tensor<5xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5xf64>
  %s0 = linalg.fill ins(%zero : f64) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf64>) outs(%s0 : tensor<5xf64>) {
  ^bb0(%a: f64, %o: f64):
    %p = arith.mulf %a, %a : f64
    %s = arith.addf %o, %p : f64
    linalg.yield %s : f64
  } -> tensor<5xf64>
  %n = linalg.sqrt ins(%r : tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  return %n : tensor<5xf64>
}

// CHECK-LABEL: @bytes_matmul
// CHECK: arith.extsi
func.func @bytes_matmul(%a: tensor<5x6xi8>, %b: tensor<6x7xi8>) -> tensor<5x7xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x7xi32>
  %start = linalg.fill ins(%zero : i32) outs(%e : tensor<5x7xi32>) -> tensor<5x7xi32>
  %r = linalg.matmul ins(%a, %b : tensor<5x6xi8>, tensor<6x7xi8>) outs(%start : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

// CHECK-LABEL: @unsigned_matmul
// CHECK: arith.extui
func.func @unsigned_matmul(%a: tensor<5x6xi8>, %b: tensor<6x7xi8>) -> tensor<5x7xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x7xi32>
  %start = linalg.fill ins(%zero : i32) outs(%e : tensor<5x7xi32>) -> tensor<5x7xi32>
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<5x6xi8>, tensor<6x7xi8>) outs(%start : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

// CHECK-LABEL: @half_matmul
func.func @half_matmul(%a: tensor<5x6xf16>, %b: tensor<6x7xf16>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul ins(%a, %b : tensor<5x6xf16>, tensor<6x7xf16>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: @brain_matmul
func.func @brain_matmul(%a: tensor<5x6xbf16>, %b: tensor<6x7xbf16>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul ins(%a, %b : tensor<5x6xbf16>, tensor<6x7xbf16>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// One operation with results of several types.
// CHECK-LABEL: @conversions
func.func @conversions(%x: tensor<5x12xf32>) -> (tensor<5x12xi32>, tensor<5x12xf64>, tensor<5x12xf16>, tensor<5x12xi1>) {
  %e0 = tensor.empty() : tensor<5x12xi32>
  %e1 = tensor.empty() : tensor<5x12xf64>
  %e2 = tensor.empty() : tensor<5x12xf16>
  %e3 = tensor.empty() : tensor<5x12xi1>
  %r:4 = linalg.generic {indexing_maps = [#rows, #rows, #rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x12xf32>) outs(%e0, %e1, %e2, %e3 : tensor<5x12xi32>, tensor<5x12xf64>, tensor<5x12xf16>, tensor<5x12xi1>) {
  ^bb0(%a: f32, %o0: i32, %o1: f64, %o2: f16, %o3: i1):
    %zero = arith.constant 0.0 : f32
    %i = arith.fptosi %a : f32 to i32
    %d = arith.extf %a : f32 to f64
    %h = arith.truncf %a : f32 to f16
    %c = arith.cmpf oge, %a, %zero : f32
    linalg.yield %i, %d, %h, %c : i32, f64, f16, i1
  } -> (tensor<5x12xi32>, tensor<5x12xf64>, tensor<5x12xf16>, tensor<5x12xi1>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<5x12xi32>, tensor<5x12xf64>, tensor<5x12xf16>, tensor<5x12xi1>
}

// The lower bits of an integer.
// CHECK-LABEL: @truncated
func.func @truncated(%x: tensor<5x12xi64>) -> tensor<5x12xi16> {
  %e = tensor.empty() : tensor<5x12xi16>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x12xi64>) outs(%e : tensor<5x12xi16>) {
  ^bb0(%a: i64, %o: i16):
    %t = arith.trunci %a : i64 to i16
    linalg.yield %t : i16
  } -> tensor<5x12xi16>
  return %r : tensor<5x12xi16>
}

// Sums of truth values are disjunctions.
// CHECK-LABEL: @booleans_matmul
// CHECK: #mdh.pw<[or]>
func.func @booleans_matmul(%a: tensor<5x6xi1>, %b: tensor<6x7xi1>) -> tensor<5x7xi1> {
  %zero = arith.constant false
  %e = tensor.empty() : tensor<5x7xi1>
  %s = linalg.fill ins(%zero : i1) outs(%e : tensor<5x7xi1>) -> tensor<5x7xi1>
  %r = linalg.matmul ins(%a, %b : tensor<5x6xi1>, tensor<6x7xi1>) outs(%s : tensor<5x7xi1>) -> tensor<5x7xi1>
  return %r : tensor<5x7xi1>
}

// CHECK-LABEL: @half_pooling
func.func @half_pooling(%x: tensor<1x9x8x3xf16>) -> tensor<1x4x3x3xf16> {
  %zero = arith.constant 0.0 : f16
  %w = tensor.empty() : tensor<2x3xf16>
  %e = tensor.empty() : tensor<1x4x3x3xf16>
  %s = linalg.fill ins(%zero : f16) outs(%e : tensor<1x4x3x3xf16>) -> tensor<1x4x3x3xf16>
  %r = linalg.pooling_nhwc_sum {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<1x9x8x3xf16>, tensor<2x3xf16>) outs(%s : tensor<1x4x3x3xf16>) -> tensor<1x4x3x3xf16>
  return %r : tensor<1x4x3x3xf16>
}

// CHECK-LABEL: @indices
// CHECK: combine [#mdh.pw<[add]>]
func.func @indices(%x: tensor<12xindex>) -> tensor<index> {
  %z = arith.constant dense<0> : tensor<index>
  %r = linalg.reduce { arith.addi } ins(%x : tensor<12xindex>) outs(%z : tensor<index>) dimensions = [0]
  return %r : tensor<index>
}
