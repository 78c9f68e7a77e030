// Products of matrices and vectors in all layouts, which NumPy's einsum computes, too.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 5x6 6x7 6x5 7x6 6 5 2x5x6 2x6x7 2x6 2x7x6 2x3x4x5 6x3x2x5 5x6:i8@100 6x7:i8@100 5x0 0x7
// RUN: %against-numpy mdh run %s --function matmul --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function accumulated --input %t0.npy --input %t2.npy --input 0.5 --raise required --check
// RUN: %against-numpy mdh run %s --function transposed_left --input %t2.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function transposed_right --input %t0.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function transposed_both --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function broadcast_left --input %t4.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function vecmat --input %t4.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function matvec --input %t0.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dot --input %t4.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function outer --input %t5.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function batch_matmul --input %t6.npy --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function batch_transposed --input %t6.npy --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function batch_matvec --input %t6.npy --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function batch_vecmat --input %t8.npy --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function batch_reduce --input %t6.npy --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function tiles --input %t10.npy --input %t11.npy --raise required --check
// RUN: %against-numpy mdh run %s --function contract --input %t6.npy --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function quantized --input %t12.npy --input %t13.npy --raise required --check
// RUN: %against-numpy mdh run %s --function without_terms --input %t14.npy --input %t15.npy --raise required --check

// CHECK-LABEL: @matmul
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>]
func.func @matmul(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul ins(%a, %b : tensor<5x6xf32>, tensor<6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// The products are added to the elements of the output.
// CHECK-LABEL: @accumulated
// CHECK: init(%{{.*}} : !mdh.mda<5x5x1, f32>)
func.func @accumulated(%a: tensor<5x6xf32>, %b: tensor<6x5xf32>, %c: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x6xf32>, tensor<6x5xf32>) outs(%c : tensor<5x5xf32>) -> tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}

// CHECK-LABEL: @transposed_left
func.func @transposed_left(%a: tensor<6x5xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<6x5xf32>, tensor<6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: @transposed_right
func.func @transposed_right(%a: tensor<5x6xf32>, %b: tensor<7x6xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<5x6xf32>, tensor<7x6xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: @transposed_both
func.func @transposed_both(%a: tensor<6x5xf32>, %b: tensor<7x6xf32>) -> tensor<7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x5xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<6x5xf32>, tensor<7x6xf32>) outs(%start : tensor<7x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

// The left operand has no index of the rows.
// CHECK-LABEL: @broadcast_left
func.func @broadcast_left(%a: tensor<6xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<6xf32>, tensor<6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: @vecmat
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>]
func.func @vecmat(%a: tensor<6xf32>, %b: tensor<6x7xf32>) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.vecmat ins(%a, %b : tensor<6xf32>, tensor<6x7xf32>) outs(%start : tensor<7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// CHECK-LABEL: @matvec
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>]
func.func @matvec(%a: tensor<5x6xf32>, %b: tensor<6xf32>) -> tensor<5xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %start = linalg.fill ins(%one : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.matvec ins(%a, %b : tensor<5x6xf32>, tensor<6xf32>) outs(%start : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: @dot
// CHECK: combine [#mdh.pw<[add]>]
func.func @dot(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<f32> {
  %start = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.dot ins(%a, %b : tensor<6xf32>, tensor<6xf32>) outs(%start : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: @outer
// CHECK: combine [#mdh.cc, #mdh.cc]
func.func @outer(%a: tensor<5xf32>, %b: tensor<6xf32>) -> tensor<5x6xf32> {
  %empty = tensor.empty() : tensor<5x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<5xf32>, tensor<6xf32>) outs(%empty : tensor<5x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}

// CHECK-LABEL: @batch_matmul
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<[add]>]
func.func @batch_matmul(%a: tensor<2x5x6xf32>, %b: tensor<2x6x7xf32>) -> tensor<2x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x5x6xf32>, tensor<2x6x7xf32>) outs(%start : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  return %r : tensor<2x5x7xf32>
}

// CHECK-LABEL: @batch_transposed
func.func @batch_transposed(%a: tensor<2x5x6xf32>, %b: tensor<2x7x6xf32>) -> tensor<2x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %r = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>]
      ins(%a, %b : tensor<2x5x6xf32>, tensor<2x7x6xf32>) outs(%start : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  return %r : tensor<2x5x7xf32>
}

// CHECK-LABEL: @batch_matvec
func.func @batch_matvec(%a: tensor<2x5x6xf32>, %b: tensor<2x6xf32>) -> tensor<2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5xf32>) -> tensor<2x5xf32>
  %r = linalg.batch_matvec ins(%a, %b : tensor<2x5x6xf32>, tensor<2x6xf32>) outs(%start : tensor<2x5xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// CHECK-LABEL: @batch_vecmat
func.func @batch_vecmat(%a: tensor<2x6xf32>, %b: tensor<2x6x7xf32>) -> tensor<2x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x7xf32>) -> tensor<2x7xf32>
  %r = linalg.batch_vecmat ins(%a, %b : tensor<2x6xf32>, tensor<2x6x7xf32>) outs(%start : tensor<2x7xf32>) -> tensor<2x7xf32>
  return %r : tensor<2x7xf32>
}

// The first iterator is a reduction.
// CHECK-LABEL: @batch_reduce
// CHECK: combine [#mdh.pw<[add]>, #mdh.cc, #mdh.cc, #mdh.pw<[add]>]
func.func @batch_reduce(%a: tensor<2x5x6xf32>, %b: tensor<2x6x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<2x5x6xf32>, tensor<2x6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// Matrices in tiles; those of the right operand are transposed.
// CHECK-LABEL: @tiles
func.func @tiles(%a: tensor<2x3x4x5xf32>, %b: tensor<6x3x2x5xf32>) -> tensor<2x6x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x6x4x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x6x4x2xf32>) -> tensor<2x6x4x2xf32>
  %r = linalg.mmt4d ins(%a, %b : tensor<2x3x4x5xf32>, tensor<6x3x2x5xf32>) outs(%start : tensor<2x6x4x2xf32>) -> tensor<2x6x4x2xf32>
  return %r : tensor<2x6x4x2xf32>
}

// CHECK-LABEL: @contract
func.func @contract(%a: tensor<2x5x6xf32>, %b: tensor<2x7x6xf32>) -> tensor<7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x5xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r = linalg.contract indexing_maps = [affine_map<(i, j, k, l) -> (k, i, l)>, affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (j, i)>]
      ins(%a, %b : tensor<2x5x6xf32>, tensor<2x7x6xf32>) outs(%start : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

// CHECK-LABEL: @dynamic
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Bytes with zero points, and sums in 32 bits.
// CHECK-LABEL: @quantized
func.func @quantized(%a: tensor<5x6xi8>, %b: tensor<6x7xi8>) -> tensor<5x7xi32> {
  %zero = arith.constant 0 : i32
  %za = arith.constant 3 : i32
  %zb = arith.constant -1 : i32
  %e = tensor.empty() : tensor<5x7xi32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<5x7xi32>) -> tensor<5x7xi32>
  %r = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<5x6xi8>, tensor<6x7xi8>, i32, i32) outs(%s : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

// The results are the initial values.
// CHECK-LABEL: @without_terms
func.func @without_terms(%a: tensor<5x0xf32>, %b: tensor<0x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.matmul ins(%a, %b : tensor<5x0xf32>, tensor<0x7xf32>) outs(%s : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
