// JAX 0.10.2, lowered to linalg: lax.dynamic_slice(x, (i, j), (3, 4))
// RUN: %python %S/../../Inputs/arrays.py %t 7x9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input 2 --input 7 --check
#map = affine_map<() -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<7x9xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<3x4xf32>) {
    %c5 = arith.constant 5 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c9_i32 = arith.constant 9 : i32
    %c7_i32 = arith.constant 7 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<i1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%0 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %14 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %14 : i1
    } -> tensor<i1>
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %14 = arith.addi %in, %c7_i32 : i32
      linalg.yield %14 : i32
    } -> tensor<i32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = []} ins(%1, %3, %arg1 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i1, %in_1: i32, %in_2: i32, %out: i32):
      %14 = arith.select %in, %in_1, %in_2 : i32
      linalg.yield %14 : i32
    } -> tensor<i32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%0 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %14 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %14 : i1
    } -> tensor<i1>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %14 = arith.addi %in, %c9_i32 : i32
      linalg.yield %14 : i32
    } -> tensor<i32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = []} ins(%5, %6, %arg2 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i1, %in_1: i32, %in_2: i32, %out: i32):
      %14 = arith.select %in, %in_1, %in_2 : i32
      linalg.yield %14 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %4[] : tensor<i32>
    %8 = arith.index_cast %extracted : i32 to index
    %9 = arith.maxsi %8, %c0 : index
    %10 = arith.minsi %9, %c4 : index
    %extracted_0 = tensor.extract %7[] : tensor<i32>
    %11 = arith.index_cast %extracted_0 : i32 to index
    %12 = arith.maxsi %11, %c0 : index
    %13 = arith.minsi %12, %c5 : index
    %extracted_slice = tensor.extract_slice %arg0[%10, %13] [3, 4] [1, 1] : tensor<7x9xf32> to tensor<3x4xf32>
    return %extracted_slice : tensor<3x4xf32>
  }
}
