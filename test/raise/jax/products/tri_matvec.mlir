// JAX 0.10.2, lowered to linalg: jnp.tril(a) @ b
// RUN: %python %S/../../Inputs/arrays.py %t 9x9 9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<9x9xf32>, %arg1: tensor<9xf32>) -> (tensor<9xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = call @tril(%arg0) : (tensor<9x9xf32>) -> tensor<9x9xf32>
    %1 = tensor.empty() : tensor<9xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<9xf32>) -> tensor<9xf32>
    %3 = linalg.matvec ins(%0, %arg1 : tensor<9x9xf32>, tensor<9xf32>) outs(%2 : tensor<9xf32>) -> tensor<9xf32>
    return %3 : tensor<9xf32>
  }
  func.func private @tril(%arg0: tensor<9x9xf32>) -> tensor<9x9xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<9x9xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<9x9xi32>) {
    ^bb0(%out: i32):
      %10 = linalg.index 0 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<9x9xi32>
    %2 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<i32>) outs(%0 : tensor<9x9xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<9x9xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<9x9xi32>, tensor<9x9xi32>) outs(%0 : tensor<9x9xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %10 = arith.addi %in, %in_1 : i32
      linalg.yield %10 : i32
    } -> tensor<9x9xi32>
    %4 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<9x9xi32>) {
    ^bb0(%out: i32):
      %10 = linalg.index 1 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<9x9xi32>
    %5 = tensor.empty() : tensor<9x9xi1>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<9x9xi32>, tensor<9x9xi32>) outs(%5 : tensor<9x9xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %10 = arith.cmpi sge, %in, %in_1 : i32
      linalg.yield %10 : i1
    } -> tensor<9x9xi1>
    %7 = tensor.empty() : tensor<9x9xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%7 : tensor<9x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x9xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %arg0, %8 : tensor<9x9xi1>, tensor<9x9xf32>, tensor<9x9xf32>) outs(%7 : tensor<9x9xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %10 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %10 : f32
    } -> tensor<9x9xf32>
    return %9 : tensor<9x9xf32>
  }
}
