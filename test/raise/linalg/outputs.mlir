// Elements that an operation does not write keep their value, also where it stays; an output that nothing uses may alone
// give an extent.
// RUN: %python %S/../Inputs/arrays.py %t 4 8 4@9
// RUN: %against-numpy mdh run %s --function partial --input %t0.npy --input %t1.npy --input 3
// RUN: %against-numpy mdh run %s --function extents --input 4 --input %t1.npy
// RUN: %against-numpy mdh run %s --function in_memory --input %t2.npy
// RUN: %against-numpy mdh run %s --function gathered --input %t0.npy --input %t1.npy
// RUN: %against-numpy mdh run %s --function partial --input %t0.npy --input %t1.npy --input 3 --raise false
// RUN: %against-numpy mdh run %s --function extents --input 4 --input %t1.npy --raise false
// RUN: %against-numpy mdh run %s --function in_memory --input %t2.npy --raise false
// RUN: %against-numpy mdh run %s --function gathered --input %t0.npy --input %t1.npy --raise false
// RUN: %against-numpy mdh run %s --function partial --input %t0.npy --input %t1.npy --input 3 --engine reference
// RUN: %against-numpy mdh run %s --function extents --input 4 --input %t1.npy --engine reference
// RUN: %against-numpy mdh run %s --function in_memory --input %t2.npy --engine reference

#id = affine_map<(i) -> (i)>
#even = affine_map<(i) -> (2 * i)>
#odd = affine_map<(i) -> (2 * i + 1)>
#diagonal = affine_map<(i) -> (i, i)>
#second = affine_map<(i) -> (1, i)>

// Even elements, a diagonal, a row, elements of a tensor of dynamic size, two outputs at once, and maps that read their
// outputs.
func.func @partial(%x: tensor<4xf32>, %y: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<3x3xi8>, tensor<2x4xf64>, tensor<?xi32>, tensor<8xf32>, tensor<4xf32>, tensor<4xi32>) {
  %a = linalg.generic {indexing_maps = [#id, #even], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %five = arith.constant dense<5> : tensor<3x3xi8>
  %b = linalg.generic {indexing_maps = [#diagonal], iterator_types = ["parallel"]} outs(%five : tensor<3x3xi8>) {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i8
    linalg.yield %v : i8
  } -> tensor<3x3xi8>
  %rows = arith.constant dense<1.5> : tensor<2x4xf64>
  %c = linalg.generic {indexing_maps = [#id, #second], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%rows : tensor<2x4xf64>) {
  ^bb0(%v: f32, %o: f64):
    %w = arith.extf %v : f32 to f64
    linalg.yield %w : f64
  } -> tensor<2x4xf64>
  %nine = arith.constant 9 : i32
  %e = tensor.empty(%n) : tensor<?xi32>
  %nines = linalg.fill ins(%nine : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %two = tensor.empty() : tensor<2xi32>
  %d = linalg.generic {indexing_maps = [#id, #even], iterator_types = ["parallel"]} ins(%two : tensor<2xi32>) outs(%nines : tensor<?xi32>) {
  ^bb0(%v: i32, %o: i32):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  %four = tensor.empty() : tensor<4xf32>
  %f:2 = linalg.generic {indexing_maps = [#id, #odd, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y, %four : tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %w = arith.negf %v : f32
    linalg.yield %v, %w : f32, f32
  } -> (tensor<8xf32>, tensor<4xf32>)
  %k = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %g = linalg.map ins(%k : tensor<4xi32>) outs(%k : tensor<4xi32>) (%v: i32, %o: i32) {
    %w = arith.muli %v, %o : i32
    linalg.yield %w : i32
  }
  return %a, %b, %c, %d, %f#0, %f#1, %g : tensor<8xf32>, tensor<3x3xi8>, tensor<2x4xf64>, tensor<?xi32>, tensor<8xf32>, tensor<4xf32>, tensor<4xi32>
}

// The region reads memory, so the operation stays, and the reference evaluator does not know it.
func.func @gathered(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %a = linalg.generic {indexing_maps = [#id, #even], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %w = tensor.extract %x[%i] : tensor<4xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %a : tensor<8xf32>
}

func.func @extents(%n: index, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty(%n) : tensor<?xi8>
  %k = arith.constant 3 : i8
  %a:2 = linalg.generic {indexing_maps = [#even, #id], iterator_types = ["parallel"]} outs(%y, %e : tensor<8xf32>, tensor<?xi8>) {
  ^bb0(%o: f32, %p: i8):
    linalg.yield %one, %k : f32, i8
  } -> (tensor<8xf32>, tensor<?xi8>)
  %b:2 = linalg.generic {indexing_maps = [#id, #odd], iterator_types = ["parallel"]} outs(%e, %y : tensor<?xi8>, tensor<8xf32>) {
  ^bb0(%o: i8, %p: f32):
    %s = arith.addf %p, %two : f32
    linalg.yield %k, %s : i8, f32
  } -> (tensor<?xi8>, tensor<8xf32>)
  return %a#0, %b#1 : tensor<8xf32>, tensor<8xf32>
}

func.func @in_memory(%x: memref<4xi32>) -> (memref<8xi32>, memref<4xi32>) {
  %seven = arith.constant 7 : i32
  %y = memref.alloc() : memref<8xi32>
  %z = memref.alloc() : memref<4xi32>
  linalg.fill ins(%seven : i32) outs(%y : memref<8xi32>)
  linalg.fill ins(%seven : i32) outs(%z : memref<4xi32>)
  linalg.generic {indexing_maps = [#id, #odd], iterator_types = ["parallel"]} ins(%x : memref<4xi32>) outs(%y : memref<8xi32>) {
  ^bb0(%v: i32, %o: i32):
    linalg.yield %v : i32
  }
  linalg.map ins(%x : memref<4xi32>) outs(%z : memref<4xi32>) (%v: i32, %o: i32) {
    %w = arith.muli %v, %o : i32
    linalg.yield %w : i32
  }
  return %y, %z : memref<8xi32>, memref<4xi32>
}
