// Accesses other than the element at the iterators: reversed, strided, diagonal, of slices, reshapes and paddings.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 12 7x9 6x6 5x4 3x4 9 2x3x4
// RUN: %against-numpy mdh run %s --function reversed --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function reversed_rows --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function every_second --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function diagonal --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function trace --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function skewed --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function differences --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function first_row --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function slices --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function inserted --input %t1.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_slice --input %t0.npy --input 3 --input 5 --raise required --check
// RUN: %against-numpy mdh run %s --function reshaped --input %t0.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function flattened --input %t6.npy --raise required --check
// RUN: %against-numpy mdh run %s --function padded --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function concatenated --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function positions --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function triangle --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function scaled --input %t5.npy --input 0.75 --input 2 --raise required --check
// RUN: %against-numpy mdh run %s --function without_iterators --input 0.75 --input 2.5 --raise required --check
// RUN: %against-numpy mdh run %s --function written_backwards --input %t5.npy --raise required --check

#id = affine_map<(i) -> (i)>
#rows = affine_map<(i, j) -> (i, j)>
#none = affine_map<() -> ()>

// CHECK-LABEL: @reversed
func.func @reversed(%x: tensor<12xf32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (11 - i)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<12xf32>) outs(%e : tensor<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// CHECK-LABEL: @reversed_rows
func.func @reversed_rows(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(i, j) -> (6 - i, 8 - j)>, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

// CHECK-LABEL: @every_second
func.func @every_second(%x: tensor<12xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i + 3)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<12xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: @diagonal
func.func @diagonal(%x: tensor<6x6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<6x6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// CHECK-LABEL: @trace
// CHECK: combine [#mdh.pw<[add]>]
func.func @trace(%x: tensor<6x6xf32>) -> tensor<f32> {
  %start = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<6x6xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Two iterators in one index.
// CHECK-LABEL: @skewed
func.func @skewed(%x: tensor<7x9xf32>) -> tensor<7x3xf32> {
  %e = tensor.empty() : tensor<7x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, i + j)>, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7x3xf32>
  return %r : tensor<7x3xf32>
}

// CHECK-LABEL: @differences
func.func @differences(%x: tensor<7x9xf32>) -> tensor<7x8xf32> {
  %before = tensor.extract_slice %x[0, 0] [7, 8] [1, 1] : tensor<7x9xf32> to tensor<7x8xf32>
  %after = tensor.extract_slice %x[0, 1] [7, 8] [1, 1] : tensor<7x9xf32> to tensor<7x8xf32>
  %e = tensor.empty() : tensor<7x8xf32>
  %r = linalg.sub ins(%after, %before : tensor<7x8xf32>, tensor<7x8xf32>) outs(%e : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// A constant index.
// CHECK-LABEL: @first_row
func.func @first_row(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(i, j) -> (0, j)>, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<7x9xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<7x9xf32>) -> tensor<3x4xf32> {
  %a = tensor.extract_slice %x[1, 0] [3, 4] [1, 1] : tensor<7x9xf32> to tensor<3x4xf32>
  %b = tensor.extract_slice %x[0, 2] [3, 4] [3, 2] : tensor<7x9xf32> to tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.sub ins(%a, %b : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// A result in the middle of another tensor.
// CHECK-LABEL: @inserted
func.func @inserted(%x: tensor<7x9xf32>, %y: tensor<3x4xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %s = linalg.square ins(%y : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = tensor.insert_slice %s into %x[2, 1] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

// CHECK-LABEL: @dynamic_slice
func.func @dynamic_slice(%x: tensor<12xf32>, %at: index, %n: index) -> tensor<?xf32> {
  %a = tensor.extract_slice %x[%at] [%n] [1] : tensor<12xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.square ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @reshaped
func.func @reshaped(%x: tensor<12xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = tensor.expand_shape %x [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.add ins(%m, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// CHECK-LABEL: @flattened
func.func @flattened(%x: tensor<2x3x4xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %e = tensor.empty() : tensor<6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.reduce { arith.addf } ins(%m : tensor<6x4xf32>) outs(%start : tensor<6xf32>) dimensions = [1]
  return %r : tensor<6xf32>
}

// CHECK-LABEL: @padded
func.func @padded(%x: tensor<5x4xf32>) -> tensor<8x5xf32> {
  %value = arith.constant 1.5 : f32
  %p = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f32
  } : tensor<5x4xf32> to tensor<8x5xf32>
  %e = tensor.empty() : tensor<8x5xf32>
  %r = linalg.square ins(%p : tensor<8x5xf32>) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

// CHECK-LABEL: @concatenated
func.func @concatenated(%x: tensor<5x4xf32>, %y: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.abs ins(%c : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: @positions
// CHECK-DAG: mdh.hom.index 0
// CHECK-DAG: mdh.hom.index 1
func.func @positions(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %e = tensor.empty() : tensor<7x9xf32>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %nine = arith.constant 9 : index
    %p = arith.muli %i, %nine : index
    %q = arith.addi %p, %j : index
    %n = arith.index_cast %q : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

// The elements above the diagonal are summed.
// CHECK-LABEL: @triangle
func.func @triangle(%x: tensor<6x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x6xf32>) outs(%start : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sgt, %j, %i : index
    %v = arith.select %c, %a, %zero : f32
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// A scalar operand, and a scalar from outside of the region.
// CHECK-LABEL: @scaled
func.func @scaled(%x: tensor<9xf32>, %alpha: f32, %beta: f32) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]} ins(%x, %alpha : tensor<9xf32>, f32) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %beta : f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// CHECK-LABEL: @without_iterators
func.func @without_iterators(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.subf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// The output is indexed backwards.
// CHECK-LABEL: @written_backwards
func.func @written_backwards(%x: tensor<9xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i) -> (8 - i)>], iterator_types = ["parallel"]} ins(%x : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}
