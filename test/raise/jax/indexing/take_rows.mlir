// JAX 0.10.2, lowered to linalg: x[i]: a negative index counts from the end, and one outside is NaN
// The reference evaluator does not evaluate tensor.extract in a region.
// RUN: %python %S/../../Inputs/arrays.py %t 6x5 12@8
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x5xf32>, %arg1: tensor<12xi32>) -> (tensor<12x5xf32>) {
    %0 = call @_take(%arg0, %arg1) : (tensor<6x5xf32>, tensor<12xi32>) -> tensor<12x5xf32>
    return %0 : tensor<12x5xf32>
  }
  func.func private @_take(%arg0: tensor<6x5xf32>, %arg1: tensor<12xi32>) -> tensor<12x5xf32> {
    %c5 = arith.constant 5 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %cst = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_0 = arith.constant dense<5> : tensor<1xi32>
    %cst_1 = arith.constant dense<6> : tensor<i32>
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<12xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_2 : tensor<i32>) outs(%0 : tensor<12xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<12xi32>
    %2 = tensor.empty() : tensor<12xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %1 : tensor<12xi32>, tensor<12xi32>) outs(%2 : tensor<12xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %25 = arith.cmpi slt, %in, %in_3 : i32
      linalg.yield %25 : i1
    } -> tensor<12xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_1 : tensor<i32>) outs(%0 : tensor<12xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<12xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %4 : tensor<12xi32>, tensor<12xi32>) outs(%0 : tensor<12xi32>) {
    ^bb0(%in: i32, %in_3: i32, %out: i32):
      %25 = arith.addi %in, %in_3 : i32
      linalg.yield %25 : i32
    } -> tensor<12xi32>
    %6 = call @_where(%3, %5, %arg1) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %7 = tensor.empty() : tensor<12x1xi32>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<12xi32>) outs(%7 : tensor<12x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<12x1xi32>
    %9 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%7 : tensor<12x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<12x1xi32>
    %10 = tensor.empty() : tensor<12x1xi1>
    %11 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<12x1xi32>, tensor<12x1xi32>) outs(%10 : tensor<12x1xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %25 = arith.cmpi sge, %in, %in_3 : i32
      linalg.yield %25 : i1
    } -> tensor<12x1xi1>
    %12 = tensor.empty() : tensor<1x1xi32>
    %13 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<1xi32>) outs(%12 : tensor<1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x1xi32>
    %14 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<1x1xi32>) outs(%7 : tensor<12x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<12x1xi32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %14 : tensor<12x1xi32>, tensor<12x1xi32>) outs(%10 : tensor<12x1xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %25 = arith.cmpi sle, %in, %in_3 : i32
      linalg.yield %25 : i1
    } -> tensor<12x1xi1>
    %16 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %15 : tensor<12x1xi1>, tensor<12x1xi1>) outs(%10 : tensor<12x1xi1>) {
    ^bb0(%in: i1, %in_3: i1, %out: i1):
      %25 = arith.andi %in, %in_3 : i1
      linalg.yield %25 : i1
    } -> tensor<12x1xi1>
    %17 = linalg.fill ins(%true : i1) outs(%2 : tensor<12xi1>) -> tensor<12xi1>
    %18 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "reduction"]} ins(%16 : tensor<12x1xi1>) outs(%17 : tensor<12xi1>) {
    ^bb0(%in: i1, %out: i1):
      %25 = arith.andi %out, %in : i1
      linalg.yield %25 : i1
    } -> tensor<12xi1>
    %19 = tensor.empty() : tensor<12x5xf32>
    %20 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%19 : tensor<12x5xf32>) {
    ^bb0(%out: f32):
      %25 = linalg.index 0 : index
      %26 = linalg.index 1 : index
      %extracted = tensor.extract %8[%25, %c0] : tensor<12x1xi32>
      %27 = arith.index_cast %extracted : i32 to index
      %28 = arith.maxsi %27, %c0 : index
      %29 = arith.minsi %28, %c5 : index
      %extracted_3 = tensor.extract %arg0[%29, %26] : tensor<6x5xf32>
      linalg.yield %extracted_3 : f32
    } -> tensor<12x5xf32>
    %21 = tensor.empty() : tensor<12x5xi1>
    %22 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<12xi1>) outs(%21 : tensor<12x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<12x5xi1>
    %23 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%19 : tensor<12x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x5xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%22, %20, %23 : tensor<12x5xi1>, tensor<12x5xf32>, tensor<12x5xf32>) outs(%19 : tensor<12x5xf32>) {
    ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
      %25 = arith.select %in, %in_3, %in_4 : f32
      linalg.yield %25 : f32
    } -> tensor<12x5xf32>
    return %24 : tensor<12x5xf32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi32>, %arg2: tensor<12xi32>) -> tensor<12xi32> {
    %0 = tensor.empty() : tensor<12xi32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) outs(%0 : tensor<12xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %2 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %2 : i32
    } -> tensor<12xi32>
    return %1 : tensor<12xi32>
  }
}
