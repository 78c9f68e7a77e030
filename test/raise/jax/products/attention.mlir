// JAX 0.10.2, lowered to linalg: jax.nn.softmax(q @ k.T / 8.0) @ v
// RUN: %python %S/../../Inputs/arrays.py %t 7x4 6x4 6x5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --check
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<7x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<6x5xf32>) -> (tensor<7x5xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<8.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<4x6xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<6x4xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6xf32>
    %2 = tensor.empty() : tensor<7x6xf32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<7x6xf32>) -> tensor<7x6xf32>
    %4 = linalg.matmul ins(%arg0, %1 : tensor<7x4xf32>, tensor<4x6xf32>) outs(%3 : tensor<7x6xf32>) -> tensor<7x6xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x6xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<7x6xf32>, tensor<7x6xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.divf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<7x6xf32>
    %7 = tensor.empty() : tensor<7xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<7xf32>) -> tensor<7xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<7x6xf32>) outs(%8 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.maximumf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<7xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel"]} ins(%cst_1 : tensor<f32>) outs(%7 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel"]} ins(%10, %9 : tensor<7xf32>, tensor<7xf32>) outs(%7 : tensor<7xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.maximumf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<7xf32>
    %12 = tensor.empty() : tensor<7x1xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<7xf32>) outs(%12 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x1xf32>
    %14 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<7x1xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x6xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %14 : tensor<7x6xf32>, tensor<7x6xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.subf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<7x6xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<7x6xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = math.exp %in : f32
      linalg.yield %25 : f32
    } -> tensor<7x6xf32>
    %17 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<7xf32>) -> tensor<7xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%16 : tensor<7x6xf32>) outs(%17 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<7xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<7xf32>) outs(%12 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x1xf32>
    %20 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<7x1xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x6xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %20 : tensor<7x6xf32>, tensor<7x6xf32>) outs(%2 : tensor<7x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.divf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<7x6xf32>
    %22 = tensor.empty() : tensor<7x5xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<7x5xf32>) -> tensor<7x5xf32>
    %24 = linalg.matmul ins(%21, %arg2 : tensor<7x6xf32>, tensor<6x5xf32>) outs(%23 : tensor<7x5xf32>) -> tensor<7x5xf32>
    return %24 : tensor<7x5xf32>
  }
}
