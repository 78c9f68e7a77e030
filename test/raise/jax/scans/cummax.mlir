// JAX 0.10.2, lowered to linalg: lax.cummax of integers, as a reduction over a window
// RUN: mdh-opt --mdh-raise %s | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 7@9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

// CHECK: mdh.hom.md_hom {{.*}} combine [#mdh.ps<[max]>]
#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> ()>
#map4 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module @jit_cummax {
  func.func public @main(%arg0: tensor<7xi32>) -> tensor<7xi32> {
    %c = arith.constant -2147483648 : i32
    %0 = tensor.empty() : tensor<7xi32>
    %cst = arith.constant dense<-2147483648> : tensor<i32>
    %1 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<i32>) outs(%0 : tensor<7xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<7xi32>
    %padded = tensor.pad %arg0 low[6] high[0] {
    ^bb0(%arg1: index):
      tensor.yield %c : i32
    } : tensor<7xi32> to tensor<13xi32>
    %2 = linalg.generic {indexing_maps = [#map, #map4, #map2], iterator_types = ["parallel", "reduction"]} ins(%padded, %0 : tensor<13xi32>, tensor<7xi32>) outs(%1 : tensor<7xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %3 = arith.maxsi %out, %in : i32
      linalg.yield %3 : i32
    } -> tensor<7xi32>
    return %2 : tensor<7xi32>
  }
}
