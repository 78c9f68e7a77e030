// Operations of arith and math on tensors work on their elements.
// RUN: mdh-opt %s --lower-mdh="raise=required stop-after=fuse" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 3x4 3x4 5:i8@9 5@9 2x3:f16 2x3:f16
// RUN: %against-numpy mdh run %s --function arithmetic --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function arithmetic --input %t0.npy --input %t1.npy --raise false
// RUN: %against-numpy mdh run %s --function integers --input %t2.npy --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function selected --input 1 --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function selected --input 0 --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t4.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t4.npy --input %t5.npy --engine reference
// RUN: %against-numpy mdh run %s --function carried --input %t0.npy --input 3 --check
// RUN: %against-numpy mdh run %s --function scalar --check

// They are fused, and write new tensors instead of their operands.
// CHECK-LABEL: func.func @arithmetic
// CHECK-NOT: into
// CHECK-LABEL: func.func @integers
func.func @arithmetic(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>) {
  %two = arith.constant dense<2.0> : tensor<3x4xf32>
  %a = math.fma %x, %y, %two : tensor<3x4xf32>
  %b = arith.negf %x : tensor<3x4xf32>
  %c = arith.maximumf %a, %b : tensor<3x4xf32>
  %d = arith.cmpf ogt, %x, %y : tensor<3x4xf32>
  %e = arith.select %d, %x, %y : tensor<3x4xi1>, tensor<3x4xf32>
  return %c, %d, %e : tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>
}

func.func @integers(%x: tensor<5xi8>, %y: tensor<5xi32>) -> (tensor<5xi64>, tensor<5xi8>) {
  %a = arith.extsi %x : tensor<5xi8> to tensor<5xi64>
  %b = arith.extsi %y : tensor<5xi32> to tensor<5xi64>
  %low, %high = arith.mulsi_extended %a, %b : tensor<5xi64>
  %three = arith.constant dense<3> : tensor<5xi8>
  %c = arith.xori %x, %three : tensor<5xi8>
  return %low, %c : tensor<5xi64>, tensor<5xi8>
}

func.func @selected(%c: i1, %x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = arith.select %c, %x, %y : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @dynamic(%x: tensor<?x3xf16>, %y: tensor<?x3xf16>) -> tensor<?x3xf16> {
  %s = arith.addf %x, %y : tensor<?x3xf16>
  %p = arith.mulf %s, %y : tensor<?x3xf16>
  return %p : tensor<?x3xf16>
}

// A tensor that a loop carries is updated in place.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK: mdh.view.out_view %{{.*}} into
func.func @carried(%x: tensor<3x4xf32>, %n: index) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<3x4xf32> {
    %s = arith.addf %y, %y : tensor<3x4xf32>
    scf.yield %s : tensor<3x4xf32>
  }
  return %r : tensor<3x4xf32>
}

func.func @scalar() -> tensor<i64> {
  %a = arith.constant dense<6> : tensor<i64>
  %b = arith.constant dense<7> : tensor<i64>
  %c = arith.muli %a, %b : tensor<i64>
  return %c : tensor<i64>
}
