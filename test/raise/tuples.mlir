// Outputs that are selected together by comparisons are combined by an operator on their tuple, if all cases prove that
// it is associative and commutative.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: mdh-opt %s --mdh-raise=required=true --mdh-raise=required=true | FileCheck %s
// RUN: mdh run %s --function first_largest | FileCheck %s --check-prefix=LARGEST
// RUN: mdh run %s --function first_largest --raise false | FileCheck %s --check-prefix=LARGEST
// RUN: %against-numpy mdh run %s --function first_largest --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function first_nan | FileCheck %s --check-prefix=NAN
// RUN: mdh run %s --function first_nan --raise false | FileCheck %s --check-prefix=NAN
// RUN: %against-numpy mdh run %s --function first_nan --strict --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function branches | FileCheck %s --check-prefix=BRANCHES
// RUN: %against-numpy mdh run %s --function branches --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function bytes | FileCheck %s --check-prefix=BYTES
// RUN: %against-numpy mdh run %s --function bytes --check | FileCheck %s --check-prefix=AGREES
// RUN: %python %S/Inputs/arrays.py %t 5x70 5 4x30 300@50
// RUN: %against-numpy mdh run %s --function with_sum --input %t0.npy --input %t1.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function declared --input %t2.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: %against-numpy mdh run %s --function carried --input %t3.npy --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// A NaN is never larger, so points are combined with the initial value first: then no tuple has a NaN. The index decides
// between 0.0 and -0.0.
// CHECK: mdh.hom.operator @combine_f32_index commutative (%[[A:.*]]: f32, %[[I:.*]]: index, %[[B:.*]]: f32, %[[J:.*]]: index) -> (f32, index) attributes {mdh.raised} {
// CHECK: %[[ORDER:.*]] = arith.cmpi sle, %[[I]], %[[J]] : index
// CHECK: } identity {
// CHECK-NEXT: %[[E:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[F:.*]] = arith.constant 0 : index
// CHECK-NEXT: yield %[[E]], %[[F]]
// CHECK-LABEL: func.func @first_largest
// CHECK: combine [#mdh.cc, #mdh.pw<@combine_f32_index>]
// CHECK: mdh.hom.index 1
// CHECK: arith.cmpf ogt, %{{.*}}, %cst
// LARGEST: [ 2.0  -0.0  -inf]
// LARGEST: [1  1  0]
func.func @first_largest() -> (tensor<3xf32>, tensor<3xindex>) {
  %x = arith.constant dense<[[1.0, 2.0, 0x7FC00000, 2.0], [0x7FC00000, -0.0, 0.0, -1.0], [0x7FC00000, 0xFF800000, 0xFF800000, 0x7FC00000]]> : tensor<3x4xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<3xf32>
  %e1 = tensor.empty() : tensor<3xindex>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<3xf32>) -> tensor<3xf32>
  %s1 = linalg.fill ins(%zero : index) outs(%e1 : tensor<3xindex>) -> tensor<3xindex>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x4xf32>) outs(%s0, %s1 : tensor<3xf32>, tensor<3xindex>) {
  ^bb0(%a: f32, %m: f32, %at: index):
    %i = linalg.index 1 : index
    %c = arith.cmpf ogt, %a, %m : f32
    %n = arith.select %c, %a, %m : f32
    %k = arith.select %c, %i, %at : index
    linalg.yield %n, %k : f32, index
  } -> (tensor<3xf32>, tensor<3xindex>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xindex>
}

// The first NaN is the result, and its index: the order of indices makes this commutative. The test for NaN of the element
// alone is part of the operator.
// CHECK-LABEL: mdh.hom.operator @combine_f32_i64 commutative
// CHECK: arith.cmpi sle
// CHECK: } identity {
// CHECK-NEXT: %[[E:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[F:.*]] = arith.constant 9223372036854775807 : i64
// CHECK-LABEL: func.func @first_nan
// NAN: [NaN  3.0]
// NAN: [1  2]
func.func @first_nan() -> (tensor<2xf32>, tensor<2xi64>) {
  %x = arith.constant dense<[[1.0, 0x7FC00000, 2.0, 0x7FC00000], [-0.0, 0.0, 3.0, 3.0]]> : tensor<2x4xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xi64>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<2xi64>) -> tensor<2xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x4xf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %number = arith.cmpf ord, %m, %m : f32
    %is_nan = arith.cmpf uno, %a, %a : f32
    %larger = arith.cmpf ogt, %a, %m : f32
    %either = arith.ori %larger, %is_nan : i1
    %c = arith.andi %either, %number : i1
    %n = arith.select %c, %a, %m : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %n, %k : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
}

// Branches are selections, too. The last of the smallest integers, and its index.
// CHECK-LABEL: func.func @branches
// CHECK: combine [#mdh.pw<@combine_i32_i64>]
// BRANCHES: -3
// BRANCHES: 3
func.func @branches() -> (tensor<i32>, tensor<i64>) {
  %x = arith.constant dense<[5, -3, 4, -3, 7]> : tensor<5xi32>
  %high = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<i32>
  %e1 = tensor.empty() : tensor<i64>
  %s0 = linalg.fill ins(%high : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xi32>) outs(%s0, %s1 : tensor<i32>, tensor<i64>) {
  ^bb0(%a: i32, %m: i32, %at: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpi sle, %a, %m : i32
    %n:2 = scf.if %c -> (i32, i64) {
      scf.yield %a, %j : i32, i64
    } else {
      scf.yield %m, %at : i32, i64
    }
    linalg.yield %n#0, %n#1 : i32, i64
  } -> (tensor<i32>, tensor<i64>)
  return %r#0, %r#1 : tensor<i32>, tensor<i64>
}

// One output: the maximum as a comparison and a selection.
// CHECK-LABEL: func.func @bytes
// CHECK: combine [#mdh.pw<@combine_i8>]
// BYTES: -56
func.func @bytes() -> tensor<i8> {
  %zero = arith.constant 3 : i8
  %bytes = arith.constant dense<[7, 200, 100]> : tensor<3xi8>
  %empty = tensor.empty() : tensor<i8>
  %start = linalg.fill ins(%zero : i8) outs(%empty : tensor<i8>) -> tensor<i8>
  %r = linalg.generic {indexing_maps = [#vector, #scalar], iterator_types = ["reduction"]} ins(%bytes : tensor<3xi8>) outs(%start : tensor<i8>) {
  ^bb0(%a: i8, %m: i8):
    %c = arith.cmpi ugt, %a, %m : i8
    %n = arith.select %c, %a, %m : i8
    linalg.yield %n : i8
  } -> tensor<i8>
  return %r : tensor<i8>
}

// A sum next to the tuple is independent of it: the operator is the product of both.
// CHECK-LABEL: mdh.hom.operator @combine_f32_index_addf_f32 commutative
// CHECK: arith.addf
// CHECK-NOT: identity
// CHECK-LABEL: func.func @with_sum
func.func @with_sum(%x: tensor<5x70xf32>, %sums: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xindex>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xindex>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %s1 = linalg.fill ins(%zero : index) outs(%e1 : tensor<5xindex>) -> tensor<5xindex>
  %r:3 = linalg.generic {indexing_maps = [#id, #row, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x70xf32>) outs(%s0, %sums, %s1 : tensor<5xf32>, tensor<5xf32>, tensor<5xindex>) {
  ^bb0(%a: f32, %m: f32, %sum: f32, %at: index):
    %i = linalg.index 1 : index
    %c = arith.cmpf ogt, %a, %m : f32
    %n = arith.select %c, %a, %m : f32
    %k = arith.select %c, %i, %at : index
    %s = arith.addf %sum, %a : f32
    linalg.yield %n, %s, %k : f32, f32, index
  } -> (tensor<5xf32>, tensor<5xf32>, tensor<5xindex>)
  return %r#0, %r#1, %r#2 : tensor<5xf32>, tensor<5xf32>, tensor<5xindex>
}

// The program declares that the merge of two running sums of exponentials is associative and commutative.
// CHECK-LABEL: mdh.hom.operator @combine_f32_f32 commutative
// CHECK-COUNT-2: math.exp
// CHECK-LABEL: func.func @declared
func.func @declared(%x: tensor<4x30xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %ones = tensor.empty() : tensor<4x30xf32>
  %weights = linalg.fill ins(%one : f32) outs(%ones : tensor<4x30xf32>) -> tensor<4x30xf32>
  %s0 = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %weights : tensor<4x30xf32>, tensor<4x30xf32>) outs(%s0, %s1 : tensor<4xf32>, tensor<4xf32>) attrs = {mdh.associative} {
  ^bb0(%a: f32, %w: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %p1 = arith.mulf %w, %f1 : f32
    %t = arith.addf %p0, %p1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A loop that carries the largest integer.
// CHECK-LABEL: func.func @carried
// CHECK: combine [#mdh.pw<@combine_i32>]
func.func @carried(%x: memref<300xi32>) -> i32 {
  %low = arith.constant -100 : i32
  %r = affine.for %i = 0 to 300 iter_args(%m = %low) -> (i32) {
    %a = affine.load %x[%i] : memref<300xi32>
    %c = arith.cmpi sgt, %a, %m : i32
    %n = scf.if %c -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %m : i32
    }
    affine.yield %n : i32
  }
  return %r : i32
}
