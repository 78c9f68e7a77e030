// JAX 0.10.2, lowered to linalg: (x > 1).any(1), (x > -2).all(1)
// RUN: %python %S/../../Inputs/arrays.py %t 6x9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x9xf32>) -> (tensor<6xi1>, tensor<6xi1>) {
    %true = arith.constant true
    %false = arith.constant false
    %cst = arith.constant dense<-2.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<6x9xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x9xf32>
    %2 = tensor.empty() : tensor<6x9xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%2 : tensor<6x9xi1>) {
    ^bb0(%in: f32, %in_1: f32, %out: i1):
      %11 = arith.cmpf ogt, %in, %in_1 : f32
      linalg.yield %11 : i1
    } -> tensor<6x9xi1>
    %4 = tensor.empty() : tensor<6xi1>
    %5 = linalg.fill ins(%false : i1) outs(%4 : tensor<6xi1>) -> tensor<6xi1>
    %6 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<6x9xi1>) outs(%5 : tensor<6xi1>) {
    ^bb0(%in: i1, %out: i1):
      %11 = arith.ori %out, %in : i1
      linalg.yield %11 : i1
    } -> tensor<6xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x9xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%2 : tensor<6x9xi1>) {
    ^bb0(%in: f32, %in_1: f32, %out: i1):
      %11 = arith.cmpf ogt, %in, %in_1 : f32
      linalg.yield %11 : i1
    } -> tensor<6x9xi1>
    %9 = linalg.fill ins(%true : i1) outs(%4 : tensor<6xi1>) -> tensor<6xi1>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<6x9xi1>) outs(%9 : tensor<6xi1>) {
    ^bb0(%in: i1, %out: i1):
      %11 = arith.andi %out, %in : i1
      linalg.yield %11 : i1
    } -> tensor<6xi1>
    return %6, %10 : tensor<6xi1>, tensor<6xi1>
  }
}
