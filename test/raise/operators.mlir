// Operations without a built-in function combine outputs by operators, which computations share.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s --implicit-check-not=mdh.hom.operator
// RUN: mdh-opt %s --mdh-raise=required=true --mdh-raise=required=true | FileCheck %s --implicit-check-not=mdh.hom.operator
// RUN: mdh run %s --function unsigned | FileCheck %s --check-prefix=UNSIGNED
// RUN: %against-numpy mdh run %s --function unsigned --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function numbers | FileCheck %s --check-prefix=NUMBERS
// RUN: %against-numpy mdh run %s --function numbers --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function numbers --raise false | FileCheck %s --check-prefix=NUMBERS
// RUN: %python %S/Inputs/arrays.py %t 300x700 5x70 5 5
// RUN: %against-numpy mdh run %s --function large --input %t0.npy --input 0.25 --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function both --input %t1.npy --input %t2.npy --input %t3.npy --strict --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// CHECK: mdh.hom.operator @maxui_i8 commutative (%{{.*}}: i8, %{{.*}}: i8) -> (i8) attributes {mdh.raised} {
// CHECK: } identity {
// CHECK: arith.constant 0 : i8
// CHECK-LABEL: func.func @unsigned
// CHECK: mdh.hom.md_hom %{{.*}} init(%{{.*}} : i8) combine [#mdh.pw<@maxui_i8>]
// UNSIGNED: -56
func.func @unsigned() -> tensor<i8> {
  %zero = arith.constant 3 : i8
  %bytes = arith.constant dense<[7, 200, 100]> : tensor<3xi8>
  %empty = tensor.empty() : tensor<i8>
  %start = linalg.fill ins(%zero : i8) outs(%empty : tensor<i8>) -> tensor<i8>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%bytes : tensor<3xi8>) outs(%start : tensor<i8>) {
  ^bb0(%x: i8, %acc: i8):
    %m = arith.maxui %x, %acc : i8
    linalg.yield %m : i8
  } -> tensor<i8>
  return %r : tensor<i8>
}

// A NaN is ignored, unless there is nothing else.
// CHECK: mdh.hom.operator @maxnumf_f32 commutative
// CHECK: arith.constant 0x7FC00000 : f32
// CHECK-LABEL: func.func @numbers
// NUMBERS: [-3.0  NaN  0.0]
func.func @numbers() -> tensor<3xf32> {
  %nan = arith.constant 0x7FC00000 : f32
  %rows = arith.constant dense<[[0x7FC00000, -3.0, -4.0, 0x7FC00000], [0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000], [-0.0, 0.0, 0x7FC00000, -0.0]]> : tensor<3x4xf32>
  %empty = tensor.empty() : tensor<3xf32>
  %start = linalg.fill ins(%nan : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%rows : tensor<3x4xf32>) outs(%start : tensor<3xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %m = arith.maxnumf %acc, %x : f32
    linalg.yield %m : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @large
// CHECK: combine [#mdh.pw<@maxnumf_f32>, #mdh.pw<@maxnumf_f32>]
func.func @large(%x: tensor<300x700xf32>, %start: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<300x700xf32>) outs(%start : tensor<f32>) {
  ^bb0(%value: f32, %acc: f32):
    %m = arith.maxnumf %acc, %value : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// With a built-in function, the operator of the tuple has no identity.
// CHECK: mdh.hom.operator @minnumf_f32_addf_f32 commutative
// CHECK-NOT: identity
// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<5x70xf32>, %least: tensor<5xf32>, %sums: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x70xf32>) outs(%least, %sums : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%value: f32, %m: f32, %s: f32):
    %m1 = arith.minnumf %m, %value : f32
    %s1 = arith.addf %s, %value : f32
    linalg.yield %m1, %s1 : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}
