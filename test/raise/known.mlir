// Regions of arithmetic in a known form: the running maximum with sums of exponentials, and the running mean with the sum
// of squares of differences from it.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: mdh-opt %s --mdh-raise=required=true --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/Inputs/arrays.py %t 6x40 6x40 50000 5x1 1x70 7x0
// RUN: %against-numpy mdh run %s --function log_sum_exp --input %t0.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function log_sum_exp --input %t0.npy --check --strict | FileCheck %s --check-prefix=EXACTLY
// RUN: %against-numpy mdh run %s --function one_element --input %t3.npy --check | FileCheck %s --check-prefix=EXACTLY
// RUN: %against-numpy mdh run %s --function weighted --input %t0.npy --input %t1.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function weighted --input %t0.npy --input %t1.npy --check --strict | FileCheck %s --check-prefix=EXACTLY
// RUN: %against-numpy mdh run %s --function all_sums --input %t2.npy --threads 4 --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function infinite --threads 2 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function infinite | FileCheck %s --check-prefix=INFINITE
// RUN: %against-numpy mdh run %s --function guarded --check --strict | FileCheck %s --check-prefix=EXACTLY
// RUN: mdh run %s --function guarded | FileCheck %s --check-prefix=GUARDED
// RUN: %against-numpy mdh run %s --function first_infinite
// RUN: mdh run %s --function first_infinite | FileCheck %s --check-prefix=FIRST
// RUN: mdh run %s --function first_infinite --raise false | FileCheck %s --check-prefix=NAN
// RUN: %against-numpy mdh run %s --function nan_is_skipped --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function variance --input %t0.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function variance --input %t0.npy --check --strict | FileCheck %s --check-prefix=EXACTLY
// RUN: %against-numpy mdh run %s --function all_variance --input %t2.npy --threads 4 --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function all_variance --input %t2.npy --check --strict | FileCheck %s --check-prefix=EXACTLY
// RUN: %against-numpy mdh run %s --function far_from_zero --check --threads 4 | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function empty --input %t5.npy --check | FileCheck %s --check-prefix=EXACTLY
// AGREES: agrees with the reference evaluator
// EXACTLY: agrees with the reference evaluator: maximum absolute error 0e0

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// The scalar function yields 1.0 for the sum. States of minus infinity alone have sums of 0, not NaN.
// CHECK: mdh.hom.operator @combine_f32_f32 commutative (%[[M:.*]]: f32, %[[S:.*]]: f32, %[[N:.*]]: f32, %[[T:.*]]: f32) -> (f32, f32) attributes {mdh.raised} {
// CHECK: %[[MAX:.*]] = arith.maximumf %[[M]], %[[N]] : f32
// CHECK: %[[LOW:.*]] = arith.cmpf oeq, %[[MAX]]
// CHECK: arith.select %[[LOW]], %{{.*}}, %[[MAX]]
// CHECK-COUNT-2: math.exp
// CHECK-NOT: identity
// CHECK-LABEL: func.func @log_sum_exp
// CHECK: combine [#mdh.cc, #mdh.pw<@combine_f32_f32>]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: yield %[[X]], %[[ONE]]
func.func @log_sum_exp(%x: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<6xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<6xf32>) -> tensor<6xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<6xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x40xf32>) outs(%s0, %s1 : tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<6xf32>, tensor<6xf32>)
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

// Rows of one element share the operator.
// CHECK-LABEL: func.func @one_element
// CHECK: #mdh.pw<@combine_f32_f32>
func.func @one_element(%x: tensor<5x1xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<5xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<5xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x1xf32>) outs(%s0, %s1 : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}

// Several sums share a maximum, a selection, which is not the first output.
// CHECK-LABEL: mdh.hom.operator @combine_f32_f32_f32 commutative
// CHECK: arith.maxnumf
// CHECK-COUNT-2: math.exp2
// CHECK-LABEL: func.func @weighted
func.func @weighted(%x: tensor<6x40xf32>, %w: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<6xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<6xf32>) -> tensor<6xf32>
  %c1 = arith.constant -1.0e+30 : f32
  %e1 = tensor.empty() : tensor<6xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %c2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<6xf32>
  %s2 = linalg.fill ins(%c2 : f32) outs(%e2 : tensor<6xf32>) -> tensor<6xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<6x40xf32>, tensor<6x40xf32>) outs(%s0, %s1, %s2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32, %m: f32, %s: f32):
    %c = arith.cmpf ogt, %a, %m : f32
    %n = arith.select %c, %a, %m : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp2 %d0 : f32
    %f1 = math.exp2 %d1 : f32
    %p0 = arith.mulf %f0, %s : f32
    %sum = arith.addf %f1, %p0 : f32
    %q0 = arith.mulf %f0, %t : f32
    %q1 = arith.mulf %f1, %b : f32
    %other = arith.addf %q1, %q0 : f32
    linalg.yield %other, %n, %sum : f32, f32, f32
  } -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
  return %r#0, %r#1, %r#2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// Parts of the elements are merged. A NaN is no maximum.
// CHECK-LABEL: func.func @all_sums
func.func @all_sums(%x: tensor<50000xf32>) -> (tensor<f32>, tensor<f32>) {
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<50000xf32>) outs(%s0, %s1 : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maxnumf %a, %m : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %f0, %s : f32
    %t = arith.addf %f1, %p0 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// A part of minus infinities is no NaN, as in the source, if the first element is finite.
// CHECK-LABEL: func.func @infinite
// INFINITE: [ 2.0 -1.0]
// INFINITE: [1.3678794       1.0]
func.func @infinite() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[[2.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 1.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [-1.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<2x32xf32>
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x32xf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// The same as the source writes it: a row of minus infinities has the sum 0.
// CHECK-LABEL: func.func @guarded
// CHECK: #mdh.pw<@combine_f32_f32>
// GUARDED: [-inf  1.0]
// GUARDED: [0.0 2.0]
func.func @guarded() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 1.0, 0xFF800000, 1.0]]> : tensor<2x4xf32>
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %is_low = arith.cmpf oeq, %n, %low : f32
    %shift = arith.select %is_low, %zero, %n : f32
    %d0 = arith.subf %m, %shift : f32
    %d1 = arith.subf %a, %shift : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// Here, it is a NaN in the source, if the first element is minus infinity.
// CHECK-LABEL: func.func @first_infinite
// FIRST: [-inf  1.0]
// FIRST: [0.0 2.0]
// NAN: [-inf  1.0]
// NAN: [NaN NaN]
func.func @first_infinite() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 1.0, 0xFF800000, 1.0]]> : tensor<2x4xf32>
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// A NaN is never selected as the maximum, but the sum is a NaN.
// CHECK-LABEL: func.func @nan_is_skipped
func.func @nan_is_skipped() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[[0x7FC00000, 1.0, 2.0, 0x7FC00000], [3.0, 0x7FC00000, 1.0, 4.0]]> : tensor<2x4xf32>
  %c0 = arith.constant -1.0e+30 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %c = arith.cmpf olt, %m, %a : f32
    %n = arith.select %c, %a, %m : f32
    %d0 = arith.subf %m, %n : f32
    %f0 = math.exp %d0 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %d1 = arith.subf %a, %n : f32
    %f1 = math.exp %d1 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// The state of an element is its number 1, itself, and 0.
// CHECK-LABEL: mdh.hom.operator @combine_f32_f32_f32_0 commutative
// CHECK-NOT: identity
// CHECK-LABEL: func.func @variance
// CHECK: combine [#mdh.cc, #mdh.pw<@combine_f32_f32_f32_0>]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: yield %[[ONE]], %[[X]], %[[ZERO]]
func.func @variance(%x: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<6xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<6xf32>) -> tensor<6xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<6xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %c2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<6xf32>
  %s2 = linalg.fill ins(%c2 : f32) outs(%e2 : tensor<6xf32>) -> tensor<6xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x40xf32>) outs(%s0, %s1, %s2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: f32, %k: f32, %mean: f32, %squares: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %k, %one : f32
    %d = arith.subf %a, %mean : f32
    %step = arith.divf %d, %n : f32
    %next = arith.addf %mean, %step : f32
    %rest = arith.subf %a, %next : f32
    %p = arith.mulf %d, %rest : f32
    %q = arith.addf %squares, %p : f32
    linalg.yield %n, %next, %q : f32, f32, f32
  } -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
  return %r#0, %r#1, %r#2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// An integer counts the elements.
// CHECK-LABEL: mdh.hom.operator @combine_f32_i64_f32 commutative
// CHECK: arith.addi
// CHECK: arith.sitofp
// CHECK-LABEL: func.func @all_variance
func.func @all_variance(%x: tensor<50000xf32>) -> (tensor<f32>, tensor<i64>, tensor<f32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %c1 = arith.constant 0 : i64
  %e1 = tensor.empty() : tensor<i64>
  %s1 = linalg.fill ins(%c1 : i64) outs(%e1 : tensor<i64>) -> tensor<i64>
  %c2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<f32>
  %s2 = linalg.fill ins(%c2 : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
  %r:3 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<50000xf32>) outs(%s0, %s1, %s2 : tensor<f32>, tensor<i64>, tensor<f32>) {
  ^bb0(%a: f32, %squares: f32, %k: i64, %mean: f32):
    %one = arith.constant 1 : i64
    %n = arith.addi %one, %k : i64
    %number = arith.sitofp %n : i64 to f32
    %d = arith.subf %a, %mean : f32
    %step = arith.divf %d, %number : f32
    %next = arith.addf %step, %mean : f32
    %rest = arith.subf %a, %next : f32
    %p = arith.mulf %rest, %d : f32
    %q = arith.addf %p, %squares : f32
    linalg.yield %q, %n, %next : f32, i64, f32
  } -> (tensor<f32>, tensor<i64>, tensor<f32>)
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<i64>, tensor<f32>
}

// The mean is a thousand times the deviation: the state of no element on the left changes no sum of squares.
// CHECK-LABEL: func.func @far_from_zero
func.func @far_from_zero() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = arith.constant dense<[999.0, 1000.0, 1001.0, 999.5, 1000.5, 999.0, 1000.0, 1001.0, 999.5, 1000.5, 999.0, 1000.0, 1001.0, 999.5, 1000.5, 999.0, 1000.0, 1001.0, 999.5, 1000.5, 999.0, 1000.0, 1001.0, 999.5]> : tensor<24xf32>
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %c2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<f32>
  %s2 = linalg.fill ins(%c2 : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
  %r:3 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<24xf32>) outs(%s0, %s1, %s2 : tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %k: f32, %mean: f32, %squares: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %k, %one : f32
    %d = arith.subf %a, %mean : f32
    %step = arith.divf %d, %n : f32
    %next = arith.addf %mean, %step : f32
    %rest = arith.subf %a, %next : f32
    %p = arith.mulf %d, %rest : f32
    %q = arith.addf %squares, %p : f32
    linalg.yield %n, %next, %q : f32, f32, f32
  } -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// No elements: the initial values.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<7x0xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<7xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<7xf32>) -> tensor<7xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<7xf32>
  %s1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %c2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<7xf32>
  %s2 = linalg.fill ins(%c2 : f32) outs(%e2 : tensor<7xf32>) -> tensor<7xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x0xf32>) outs(%s0, %s1, %s2 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%a: f32, %k: f32, %mean: f32, %squares: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %k, %one : f32
    %d = arith.subf %a, %mean : f32
    %step = arith.divf %d, %n : f32
    %next = arith.addf %mean, %step : f32
    %rest = arith.subf %a, %next : f32
    %p = arith.mulf %d, %rest : f32
    %q = arith.addf %squares, %p : f32
    linalg.yield %n, %next, %q : f32, f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>)
  return %r#0, %r#1, %r#2 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
