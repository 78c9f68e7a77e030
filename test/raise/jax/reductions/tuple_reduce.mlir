// JAX 0.10.2, lowered to linalg: lax.reduce((x, y), (-inf, -inf), the pair with the larger x, (1,)). A NaN is replaced by
// the next element, so the operator is not associative: it becomes scalar operations, and stays. Without NaN and ties, the
// program may declare it associative.
// RUN: %python %S/../../Inputs/arrays.py %t 6x9 6x9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy 2>&1 | FileCheck %s
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --raise false
// RUN: mdh-opt %s --mdh-raise 2>/dev/null | FileCheck %s --check-prefix=SCALARS --implicit-check-not=tensor.extract --implicit-check-not=call
// RUN: sed 's/outs(\(.*\)) {$/outs(\1) attrs = {mdh.associative} {/' %s > %t.mlir
// RUN: mdh-opt %t.mlir --mdh-raise=required=true | FileCheck %s --check-prefix=DECLARED
// CHECK: is not raised: requires an associative operator f, but f(f(a, b), c) and f(a, f(b, c)) differ for a = (1.0, 0.0), b = (NaN, 0.0), c = (-1.0, 0.0)
// SCALARS: %[[C:.*]] = arith.cmpf oge, %out, %in : f32
// SCALARS-NEXT: %[[V:.*]] = arith.select %[[C]], %out, %in : f32
// SCALARS-NEXT: %[[W:.*]] = arith.select %[[C]], %out_1, %in_0 : f32
// SCALARS-NEXT: linalg.yield %[[V]], %[[W]] : f32, f32
// DECLARED: mdh.hom.operator @combine_f32_f32 commutative (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32)
// DECLARED-NEXT: %[[G:.*]] = arith.cmpf oge, %[[A]], %[[C]] : f32
// DECLARED-NEXT: %[[H:.*]] = arith.select %[[G]], %[[A]], %[[C]] : f32
// DECLARED-NEXT: %[[I:.*]] = arith.select %[[G]], %[[B]], %[[D]] : f32
// DECLARED-NEXT: mdh.hom.yield %[[H]], %[[I]] : f32, f32
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<() -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x9xf32>, %arg1: tensor<6x9xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
    %2:2 = linalg.generic {indexing_maps = [#map, #map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%1, %1 : tensor<6xf32>, tensor<6xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32, %out_1: f32):
      %from_elements = tensor.from_elements %in_0 : tensor<f32>
      %from_elements_2 = tensor.from_elements %in : tensor<f32>
      %from_elements_3 = tensor.from_elements %out_1 : tensor<f32>
      %from_elements_4 = tensor.from_elements %out : tensor<f32>
      %3 = arith.cmpf oge, %out, %in : f32
      %from_elements_5 = tensor.from_elements %3 : tensor<i1>
      %4 = func.call @_where(%from_elements_5, %from_elements_4, %from_elements_2) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %5 = func.call @_where(%from_elements_5, %from_elements_3, %from_elements) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %extracted = tensor.extract %4[] : tensor<f32>
      %extracted_6 = tensor.extract %5[] : tensor<f32>
      linalg.yield %extracted, %extracted_6 : f32, f32
    } -> (tensor<6xf32>, tensor<6xf32>)
    return %2#0, %2#1 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = []} ins(%arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %2 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    return %1 : tensor<f32>
  }
}
