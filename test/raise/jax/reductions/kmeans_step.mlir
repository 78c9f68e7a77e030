// JAX 0.10.2, lowered to linalg: ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1).argmin(1)
// RUN: %python %S/../../Inputs/arrays.py %t 9x4 5x4
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<9x4xf32>, %arg1: tensor<5x4xf32>) -> (tensor<9xi32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<9x1x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<9x4xf32>) outs(%0 : tensor<9x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x1x4xf32>
    %2 = tensor.empty() : tensor<1x5x4xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<5x4xf32>) outs(%2 : tensor<1x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x5x4xf32>
    %4 = tensor.empty() : tensor<9x5x4xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<9x1x4xf32>) outs(%4 : tensor<9x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x5x4xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<1x5x4xf32>) outs(%4 : tensor<9x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x5x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %6 : tensor<9x5x4xf32>, tensor<9x5x4xf32>) outs(%4 : tensor<9x5x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %13 = arith.subf %in, %in_0 : f32
      linalg.yield %13 : f32
    } -> tensor<9x5x4xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %7 : tensor<9x5x4xf32>, tensor<9x5x4xf32>) outs(%4 : tensor<9x5x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %13 = arith.mulf %in, %in_0 : f32
      linalg.yield %13 : f32
    } -> tensor<9x5x4xf32>
    %9 = tensor.empty() : tensor<9x5xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<9x5xf32>) -> tensor<9x5xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<9x5x4xf32>) outs(%10 : tensor<9x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<9x5xf32>
    %12 = call @argmin(%11) : (tensor<9x5xf32>) -> tensor<9xi32>
    return %12 : tensor<9xi32>
  }
  func.func private @argmin(%arg0: tensor<9x5xf32>) -> tensor<9xi32> {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0x7F800000 : f32
    %0 = tensor.empty() : tensor<9x5xi32>
    %1 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<9x5xi32>) {
    ^bb0(%out: i32):
      %7 = linalg.index 1 : index
      %8 = arith.index_cast %7 : index to i32
      linalg.yield %8 : i32
    } -> tensor<9x5xi32>
    %2 = tensor.empty() : tensor<9xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<9xf32>) -> tensor<9xf32>
    %4 = tensor.empty() : tensor<9xi32>
    %5 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<9xi32>) -> tensor<9xi32>
    %6:2 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map7], iterator_types = ["parallel", "reduction"]} ins(%arg0, %1 : tensor<9x5xf32>, tensor<9x5xi32>) outs(%3, %5 : tensor<9xf32>, tensor<9xi32>) {
    ^bb0(%in: f32, %in_0: i32, %out: f32, %out_1: i32):
      %7 = arith.cmpf olt, %out, %in : f32
      %8 = arith.cmpf une, %out, %out : f32
      %9 = arith.ori %7, %8 : i1
      %10 = arith.cmpf oeq, %out, %in : f32
      %11 = arith.cmpi slt, %out_1, %in_0 : i32
      %12 = arith.andi %10, %11 : i1
      %13 = arith.ori %9, %12 : i1
      %14 = arith.select %9, %out, %in : f32
      %15 = arith.select %13, %out_1, %in_0 : i32
      linalg.yield %14, %15 : f32, i32
    } -> (tensor<9xf32>, tensor<9xi32>)
    return %6#1 : tensor<9xi32>
  }
}
