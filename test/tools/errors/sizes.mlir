// Sizes that do not fit are errors at their operations, at run time.
// RUN: %python %root/test/raise/Inputs/arrays.py %t 4 2x3 2x5 2x3
// RUN: not mdh run %s --function padded --input %t0.npy --input 1 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: not mdh run %s --function padded --input %t0.npy --input=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: mdh run %s --function padded --input %t0.npy --input 7 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function joined --input %t1.npy --input %t2.npy 2>&1 | FileCheck %s --check-prefix=JOINED
// RUN: mdh run %s --function joined --input %t1.npy --input %t3.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function softmax --input %t1.npy --input %t2.npy 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// RUN: mdh run %s --function softmax --input %t1.npy --input %t3.npy --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function expanded --input %t0.npy --input 3 2>&1 | FileCheck %s --check-prefix=EXPANDED
// RUN: mdh run %s --function expanded --input %t0.npy --input 2 --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

func.func @padded(%x: tensor<?xf32>, %n: index) -> tensor<12xf32> {
  %c = arith.constant 0.0 : f32
  // PADDED: sizes.mlir:[[#@LINE+2]]:8: error: 'tensor.pad' fails: requires a padded size of 12 in axis 1
  // NEGATIVE: sizes.mlir:[[#@LINE+1]]:8: error: 'tensor.pad' fails: requires high padding of at least 0 in axis 1
  %r = tensor.pad %x low[1] high[%n] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @joined(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // JOINED: sizes.mlir:[[#@LINE+1]]:8: error: 'tensor.concat' fails: requires operands of the same size in axis 2
  %r = tensor.concat dim(0) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @softmax(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // SOFTMAX: sizes.mlir:[[#@LINE+1]]:8: error: 'linalg.softmax' fails: requires input and output of the same sizes, but they differ in axis 2
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @expanded(%x: tensor<?xf32>, %n: index) -> tensor<?x2xf32> {
  // EXPANDED: sizes.mlir:[[#@LINE+1]]:8: error: 'tensor.expand_shape' fails: requires sizes of at least 0 whose product is the size of axis 1
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
