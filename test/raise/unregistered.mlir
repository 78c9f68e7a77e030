// Operations of StableHLO and TMTensor in generic form, with results that JAX and NumPy compute.
// RUN: %against-numpy mdh run %s --function counts --check | FileCheck %s --check-prefix=COUNTS
// RUN: mdh run %s --function counts | FileCheck %s --check-prefix=COUNTS-VALUES
// RUN: mdh run %s --function windows | FileCheck %s --check-prefix=WINDOWS
// RUN: %against-numpy mdh run %s --function windows --check
// RUN: mdh run %s --function indices_first | FileCheck %s --check-prefix=INDICES-FIRST
// RUN: %against-numpy mdh run %s --function indices_first --check
// RUN: %against-numpy mdh run %s --function one_index --check
// RUN: mdh run %s --function one_index | FileCheck %s --check-prefix=ONE-INDEX
// RUN: mdh run %s --function any | FileCheck %s --check-prefix=ANY
// RUN: %against-numpy mdh run %s --function any --check
// RUN: mdh run %s --function rows_of_torch | FileCheck %s --check-prefix=ROWS
// RUN: %against-numpy mdh run %s --function rows_of_torch --check
// RUN: mdh run %s --function pool | FileCheck %s --check-prefix=POOL
// RUN: %against-numpy mdh run %s --function pool --raise required --check
// RUN: mdh run %s --function prefix | FileCheck %s --check-prefix=PREFIX
// RUN: %against-numpy mdh run %s --function prefix --raise required --check
// RUN: mdh run %s --function suffix | FileCheck %s --check-prefix=SUFFIX
// RUN: %against-numpy mdh run %s --function suffix --raise required --check
// RUN: mdh run %s --function exclusive | FileCheck %s --check-prefix=EXCLUSIVE
// RUN: %against-numpy mdh run %s --function exclusive --raise required --check
// RUN: mdh run %s --function cut | FileCheck %s --check-prefix=CUT
// RUN: %against-numpy mdh run %s --function cut --raise required --check
// RUN: mdh run %s --function factorial --input 5 | FileCheck %s --check-prefix=FACTORIAL
// RUN: %against-numpy mdh run %s --function factorial --input 5 --check
// RUN: %against-numpy mdh run %s --function factorial --input 0 --check
// RUN: mdh run %s --function counts --raise false | FileCheck %s --check-prefix=COUNTS-VALUES
// RUN: mdh run %s --function prefix --raise false | FileCheck %s --check-prefix=PREFIX
// RUN: mdh-opt %s --mdh-raise 2>/dev/null | FileCheck %s
// RUN: not mdh run %s --function counts --raise required 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: error: {{.*}}cannot be raised: requires indices that are linear in iterators, but those of a scatter are elements: it is a loop over its updates

// Updates at -1 and 4 are outside of the tensor.
// COUNTS: agrees
// COUNTS-VALUES: {{\[}}61 2 3 24]
// CHECK-LABEL: @counts
// CHECK:       scf.for
// CHECK:       tensor.insert
func.func @counts() -> tensor<4xi32> {
  %h = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %k = arith.constant dense<[[0], [3], [-1], [4], [0]]> : tensor<5x1xi32>
  %u = arith.constant dense<[10, 20, 30, 40, 50]> : tensor<5xi32>
  %r = "stablehlo.scatter"(%h, %k, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// Windows of 2 elements of a row; the second one begins in the last column.
// WINDOWS: {{\[}}[ 1 1 4 1]
// WINDOWS-NEXT: [ 1 1 1 6]
// WINDOWS-NEXT: [ 9 10 1 1]]
func.func @windows() -> tensor<3x4xi64> {
  %h = arith.constant dense<1> : tensor<3x4xi64>
  %k = arith.constant dense<[[0, 1], [1, 3], [2, 0]]> : tensor<3x2xi64>
  %u = arith.constant dense<[[1, 4], [6, 7], [9, 10]]> : tensor<3x2xi64>
  %r = "stablehlo.scatter"(%h, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = "stablehlo.maximum"(%a, %b) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%s) : (tensor<i64>) -> ()
  }) : (tensor<3x4xi64>, tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

// The components of an index are along the first axis.
// INDICES-FIRST: {{\[}}[0 0 5]
// INDICES-FIRST-NEXT: [7 0 0]]
func.func @indices_first() -> tensor<2x3xi32> {
  %h = arith.constant dense<0> : tensor<2x3xi32>
  %k = arith.constant dense<[[0, 1, 0], [2, 0, 2]]> : tensor<2x3xi32>
  %u = arith.constant dense<[2, 7, 3]> : tensor<3xi32>
  %r = "stablehlo.scatter"(%h, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%b, %a) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// One index, which is no vector, and no loop.
// ONE-INDEX: {{\[}}1.5 2.5 9.0 4.5]
func.func @one_index() -> tensor<4xf32> {
  %h = arith.constant dense<[1.5, 2.5, 3.5, 4.5]> : tensor<4xf32>
  %k = arith.constant dense<2> : tensor<i32>
  %u = arith.constant dense<9.0> : tensor<f32>
  %r = "stablehlo.scatter"(%h, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<i32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A sum of truth values is their disjunction.
// ANY: {{\[}}1 0 1]
func.func @any() -> tensor<3xi8> {
  %h = arith.constant dense<[false, false, true]> : tensor<3xi1>
  %k = arith.constant dense<[[0], [0], [2]]> : tensor<3x1xi32>
  %u = arith.constant dense<[true, true, false]> : tensor<3xi1>
  %r = "stablehlo.scatter"(%h, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<3xi1>, tensor<3x1xi32>, tensor<3xi1>) -> tensor<3xi1>
  %e = tensor.empty() : tensor<3xi8>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%r : tensor<3xi1>) outs(%e : tensor<3xi8>) {
  ^bb0(%a: i1, %o: i8):
    %b = arith.extui %a : i1 to i8
    linalg.yield %b : i8
  } -> tensor<3xi8>
  return %w : tensor<3xi8>
}

// ROWS: {{\[}}[ 1 1 1]
// ROWS-NEXT: [41 51 61]
// ROWS-NEXT: [11 21 31]]
func.func @rows_of_torch() -> tensor<3x3xi32> {
  %h = arith.constant dense<1> : tensor<3x3xi32>
  %k = arith.constant dense<[[2], [1]]> : tensor<2x1xi32>
  %u = arith.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32>
  %r = "tm_tensor.scatter"(%u, %k, %h) <{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
  ^bb0(%b: i32, %a: i32):
    %s = arith.addi %a, %b : i32
    "tm_tensor.yield"(%s) : (i32) -> ()
  }) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  return %r : tensor<3x3xi32>
}

// Windows of 3 elements at distances of 2, every third one, with one element of padding before and two after.
// POOL: {{\[}}6 8]
// CHECK-LABEL: @pool
// CHECK:       combine [#mdh.cc, #mdh.pw<[add]>]
func.func @pool() -> tensor<2xi32> {
  %x = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>, window_dilations = array<i64: 2>, padding = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// PREFIX: {{\[}}[ 1 3 6]
// PREFIX-NEXT: [ 4 9 15]]
// CHECK-LABEL: @prefix
// CHECK:       combine [#mdh.cc, #mdh.ps<[add]>]
// CHECK-NOT:   #mdh.pw
func.func @prefix() -> tensor<2x3xi32> {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// SUFFIX: {{\[}}24.0 24.0 12.0 4.0]
// CHECK-LABEL: @suffix
// CHECK:       combine [#mdh.ps<[mul]>]
func.func @suffix() -> tensor<4xf32> {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 4>, padding = dense<[[0, 3]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.multiply"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The last element is cut off.
// EXCLUSIVE: {{\[}}0 1 3 6]
// CHECK-LABEL: @exclusive
// CHECK:       combine [#mdh.ps<[add]>]
func.func @exclusive() -> tensor<4xi32> {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>, padding = dense<[[4, -1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// Padding with 3, which is not neutral, and elements that are cut off: no scan.
// CUT: {{\[}} 9 15]
// CHECK-LABEL: @cut
// CHECK:       combine [#mdh.cc, #mdh.pw<[add]>]
func.func @cut() -> tensor<2xi32> {
  %x = arith.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
  %three = arith.constant dense<3> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %three) <{window_dimensions = array<i64: 2>, padding = dense<[[-1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// FACTORIAL: 120
// CHECK-LABEL: @factorial
// CHECK:       scf.for
func.func @factorial(%n: tensor<i32>) -> tensor<i32> {
  %one = arith.constant dense<1> : tensor<i32>
  %r:2 = "stablehlo.while"(%n, %one) ({
  ^bb0(%i: tensor<i32>, %p: tensor<i32>):
    %e = tensor.empty() : tensor<i1>
    %c = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%a: i32, %o: i1):
      %zero = arith.constant 0 : i32
      %g = arith.cmpi sgt, %a, %zero : i32
      linalg.yield %g : i1
    } -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %p: tensor<i32>):
    %e = tensor.empty() : tensor<i32>
    %q = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i, %p : tensor<i32>, tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %m = arith.muli %a, %b : i32
      linalg.yield %m : i32
    } -> tensor<i32>
    %j = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %step = arith.constant 1 : i32
      %d = arith.subi %a, %step : i32
      linalg.yield %d : i32
    } -> tensor<i32>
    "stablehlo.return"(%j, %q) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %r#1 : tensor<i32>
}
