// A scatter whose updates and indices have dynamic sizes requires that these are equal.
// RUN: %python %root/test/raise/Inputs/arrays.py %t 8@9 3x1@7 3@9 4@9 2@9
// RUN: mdh run %s --input %t0.npy --input %t1.npy --input %t2.npy --check | FileCheck %s
// CHECK: agrees with the reference evaluator
// RUN: not mdh run %s --input %t0.npy --input %t1.npy --input %t3.npy 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not mdh run %s --input %t0.npy --input %t1.npy --input %t4.npy 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: checks-scatter.mlir:[[#@LINE+5]]:8: error: 'stablehlo.scatter' fails: requires an index for each update, but axis 1 of the updates and axis 1 of the indices have different sizes{{$}}
// RUN: not mdh run %s --engine reference --input %t0.npy --input %t1.npy --input %t3.npy 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: checks-scatter.mlir:[[#@LINE+3]]:8: error: requires an index for each update{{$}}

func.func @counts(%h: tensor<8xi32>, %k: tensor<?x1xi32>, %u: tensor<?xi32>) -> tensor<8xi32> {
  %r = "stablehlo.scatter"(%h, %k, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<8xi32>, tensor<?x1xi32>, tensor<?xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
