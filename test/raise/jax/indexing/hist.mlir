// JAX 0.10.2, lowered to linalg: (e[:, None] == b[None, :]).astype(jnp.float32).sum(0)
// RUN: %python %S/../../Inputs/arrays.py %t 50 6
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --check
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (0, d1)>
#map5 = affine_map<(d0, d1) -> (d1, d0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<50xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<50x1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<50xf32>) outs(%0 : tensor<50x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<50x1xf32>
    %2 = tensor.empty() : tensor<1x6xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<6xf32>) outs(%2 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x6xf32>
    %4 = tensor.empty() : tensor<50x6xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<50x1xf32>) outs(%4 : tensor<50x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<50x6xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<1x6xf32>) outs(%4 : tensor<50x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<50x6xf32>
    %7 = tensor.empty() : tensor<50x6xi1>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %6 : tensor<50x6xf32>, tensor<50x6xf32>) outs(%7 : tensor<50x6xi1>) {
    ^bb0(%in: f32, %in_0: f32, %out: i1):
      %13 = arith.cmpf oeq, %in, %in_0 : f32
      linalg.yield %13 : i1
    } -> tensor<50x6xi1>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<50x6xi1>) outs(%4 : tensor<50x6xf32>) {
    ^bb0(%in: i1, %out: f32):
      %13 = arith.uitofp %in : i1 to f32
      linalg.yield %13 : f32
    } -> tensor<50x6xf32>
    %10 = tensor.empty() : tensor<6xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<6xf32>) -> tensor<6xf32>
    %12 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "reduction"]} ins(%9 : tensor<50x6xf32>) outs(%11 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<6xf32>
    return %12 : tensor<6xf32>
  }
}
