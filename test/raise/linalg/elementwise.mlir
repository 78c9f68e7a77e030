// Named elementwise operations, maps, reductions, broadcasts and transpositions.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 7x9 7x9 9x7 7 9 7x9@20 7x9@20 2x3x4 7x9:i1
// RUN: %against-numpy mdh run %s --function arithmetic --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function integers --input %t5.npy --input %t6.npy --raise required --check
// RUN: %against-numpy mdh run %s --function roundings --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function exponentials --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function roots --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function powers --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function kinds --input %t0.npy --input %t2.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function selected --input %t8.npy --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function mapped --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function reduced --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function reduced_together --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function outer_axes --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function broadcast --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function transposed --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function copied --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function softmax --input %t7.npy --raise required --check

#rows = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>

// CHECK-LABEL: @arithmetic
// CHECK-COUNT-7: mdh.hom.md_hom
func.func @arithmetic(%x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>) {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.add ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = linalg.sub ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %c = linalg.mul ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %d = linalg.div ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %f = linalg.max ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %g = linalg.min ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %h = linalg.negf ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a, %b, %c, %d, %f, %g, %h : tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>
}

// Divisors are not zero: the quotients of signed numbers are rounded to zero.
// CHECK-LABEL: @integers
func.func @integers(%x: tensor<7x9xi32>, %y: tensor<7x9xi32>) -> (tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>) {
  %e = tensor.empty() : tensor<7x9xi32>
  %c = linalg.mul ins(%x, %y : tensor<7x9xi32>, tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) -> tensor<7x9xi32>
  %f = linalg.max ins(%x, %y : tensor<7x9xi32>, tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) -> tensor<7x9xi32>
  %odd = linalg.map ins(%y : tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) (%a: i32, %o: i32) {
    %one = arith.constant 1 : i32
    %r = arith.ori %a, %one : i32
    linalg.yield %r : i32
  }
  %d = linalg.div ins(%x, %odd : tensor<7x9xi32>, tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) -> tensor<7x9xi32>
  %u = linalg.div_unsigned ins(%x, %odd : tensor<7x9xi32>, tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) -> tensor<7x9xi32>
  %s = linalg.sub ins(%x, %y : tensor<7x9xi32>, tensor<7x9xi32>) outs(%e : tensor<7x9xi32>) -> tensor<7x9xi32>
  return %c, %f, %d, %u, %s : tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>, tensor<7x9xi32>
}

// CHECK-LABEL: @roundings
func.func @roundings(%x: tensor<7x9xf32>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>) {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.abs ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = linalg.ceil ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %c = linalg.floor ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %d = linalg.round ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a, %b, %c, %d : tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>
}

// CHECK-LABEL: @exponentials
func.func @exponentials(%x: tensor<7x9xf32>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>) {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.exp ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = linalg.tanh ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %c = linalg.erf ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a, %b, %c : tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>
}

// Negative numbers and zeros: NaN and infinities.
// CHECK-LABEL: @roots
func.func @roots(%x: tensor<7x9xf32>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>) {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.sqrt ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = linalg.rsqrt ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %c = linalg.log ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %d = linalg.reciprocal ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %s = linalg.square ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a, %b, %c, %d, %s : tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>
}

// CHECK-LABEL: @powers
func.func @powers(%x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.powf ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a : tensor<7x9xf32>
}

// The second operand is transposed, the third one is broadcast.
// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<7x9xf32>, %y: tensor<9x7xf32>, %z: tensor<9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#rows, #columns, #rows] ins(%x, %y : tensor<7x9xf32>, tensor<9x7xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#rows, #row, #rows] ins(%a, %z : tensor<7x9xf32>, tensor<9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %b : tensor<7x9xf32>
}

// CHECK-LABEL: @selected
func.func @selected(%c: tensor<7x9xi1>, %x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %a = linalg.select ins(%c, %x, %y : tensor<7x9xi1>, tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %a : tensor<7x9xf32>
}

// CHECK-LABEL: @mapped
func.func @mapped(%x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> tensor<7x9xi1> {
  %e = tensor.empty() : tensor<7x9xi1>
  %a = linalg.map ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xi1>) (%a: f32, %b: f32, %o: i1) {
    %c = arith.cmpf olt, %a, %b : f32
    linalg.yield %c : i1
  }
  return %a : tensor<7x9xi1>
}

// CHECK-LABEL: @reduced
// CHECK: combine [#mdh.pw<[mul]>, #mdh.cc]
func.func @reduced(%x: tensor<7x9xf32>) -> tensor<9xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %start = linalg.fill ins(%one : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.reduce { arith.mulf } ins(%x : tensor<7x9xf32>) outs(%start : tensor<9xf32>) dimensions = [0]
  return %r : tensor<9xf32>
}

// Two reductions in one operation.
// CHECK-LABEL: @reduced_together
// CHECK: combine [#mdh.cc, #mdh.pw<[add, max]>]
func.func @reduced_together(%x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %s1 = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r:2 = linalg.reduce ins(%x, %y : tensor<7x9xf32>, tensor<7x9xf32>) outs(%s0, %s1 : tensor<7xf32>, tensor<7xf32>) dimensions = [1]
    (%a: f32, %b: f32, %sum: f32, %most: f32) {
      %s = arith.addf %a, %sum : f32
      %m = arith.maximumf %b, %most : f32
      linalg.yield %s, %m : f32, f32
    }
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
}

// CHECK-LABEL: @outer_axes
// CHECK: combine [#mdh.pw<[add]>, #mdh.cc, #mdh.pw<[add]>]
func.func @outer_axes(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4xf32>) outs(%start : tensor<3xf32>) dimensions = [0, 2]
  return %r : tensor<3xf32>
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<7xf32>) -> tensor<3x7x2xf32> {
  %e = tensor.empty() : tensor<3x7x2xf32>
  %r = linalg.broadcast ins(%x : tensor<7xf32>) outs(%e : tensor<3x7x2xf32>) dimensions = [0, 2]
  return %r : tensor<3x7x2xf32>
}

// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %r = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  return %r : tensor<4x2x3xf32>
}

// A copy converts elements.
// CHECK-LABEL: @copied
func.func @copied(%x: tensor<7x9xf32>) -> tensor<7x9xf64> {
  %e = tensor.empty() : tensor<7x9xf64>
  %r = linalg.copy ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf64>) -> tensor<7x9xf64>
  return %r : tensor<7x9xf64>
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
