// Operations that stay, for the reasons in refused.mlir, give the same results.
// RUN: mdh-opt %s --mdh-raise 2>/dev/null | FileCheck %s --implicit-check-not=mdh.hom.md_hom
// RUN: %python %S/../Inputs/arrays.py %t 5x12 5 12 7@9 4
// RUN: %against-numpy mdh run %s --function alternating --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function quotients --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function horner --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function last_value --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function repeated --input %t4.npy
// RUN: %against-numpy mdh run %s --function gather --input %t2.npy --input %t3.npy
// RUN: %against-numpy mdh run %s --function maximum_with_index --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function first_zero --check
// RUN: %against-numpy mdh run %s --function shared --input %t2.npy --input %t2.npy --check

#id = affine_map<(i) -> (i)>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: @alternating
// CHECK: linalg.generic
func.func @alternating(%x: tensor<5x12xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf32>) outs(%y : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.subf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: @quotients
// CHECK: linalg.generic
func.func @quotients(%y: tensor<5xf32>) -> tensor<5xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %x = linalg.fill ins(%two : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x3xf32>) outs(%y : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// Polynomials at 1/2.
// CHECK-LABEL: @horner
// CHECK: linalg.generic
func.func @horner(%x: tensor<5x12xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %half = arith.constant 0.5 : f32
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf32>) outs(%y : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %o, %half : f32
    %s = arith.addf %p, %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: @last_value
// CHECK: linalg.generic
func.func @last_value(%x: tensor<5x12xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf32>) outs(%y : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// The reference evaluator does not evaluate quotients of iterators.
// CHECK-LABEL: @repeated
// CHECK: linalg.generic
func.func @repeated(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Indices are counted from 9 on, modulo 12. The reference evaluator does not evaluate tensor.extract in a region.
// CHECK-LABEL: @gather
// CHECK: linalg.generic
func.func @gather(%x: tensor<12xf32>, %k: tensor<7xi32>) -> tensor<7xf32> {
  %nine = arith.constant 9 : i32
  %twelve = arith.constant 12 : i32
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%k : tensor<7xi32>) outs(%e : tensor<7xf32>) {
  ^bb0(%a: i32, %o: f32):
    %b = arith.addi %a, %nine : i32
    %m = arith.remsi %b, %twelve : i32
    %i = arith.index_cast %m : i32 to index
    %v = tensor.extract %x[%i] : tensor<12xf32>
    linalg.yield %v : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// As torch-mlir writes torch.max(x, 1).
// CHECK-LABEL: @maximum_with_index
// CHECK: linalg.generic
func.func @maximum_with_index(%x: tensor<5x12xf32>) -> (tensor<5xf32>, tensor<5xi64>) {
  %zero = arith.constant 0 : i64
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xi64>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5xf32>) -> tensor<5xf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<5xi64>) -> tensor<5xi64>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf32>) outs(%s0, %s1 : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %n = arith.maximumf %a, %m : f32
    %c = arith.cmpf ogt, %a, %m : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %n, %k : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi64>
}

// The number of elements before the first zero: a count that depends on another output.
// CHECK-LABEL: @first_zero
// CHECK: linalg.generic
func.func @first_zero() -> (tensor<i1>, tensor<i32>) {
  %x = arith.constant dense<[3, -1, 7, 0, 2, 0]> : tensor<6xi32>
  %s0 = arith.constant dense<false> : tensor<i1>
  %s1 = arith.constant dense<0> : tensor<i32>
  %r:2 = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<6xi32>) outs(%s0, %s1 : tensor<i1>, tensor<i32>) {
  ^bb0(%a: i32, %found: i1, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = arith.cmpi eq, %a, %zero : i32
    %f = arith.ori %found, %c : i1
    %more = arith.addi %n, %one : i32
    %k = arith.select %f, %n, %more : i32
    linalg.yield %f, %k : i1, i32
  } -> (tensor<i1>, tensor<i32>)
  return %r#0, %r#1 : tensor<i1>, tensor<i32>
}

// The memrefs may share memory.
// CHECK-LABEL: @shared
// CHECK: linalg.generic
func.func @shared(%x: memref<12xf32>, %y: memref<12xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
}
