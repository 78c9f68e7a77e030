// JAX 0.10.2, lowered to linalg: e.at[i].max(u)
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 8 20@9 20
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy --input %t2.npy --check

// CHECK: arith.maximumf
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<8xf32>, tensor<20xi32>, tensor<20xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<20xi32>, %arg2: tensor<20xf32>):
    %0 = "arith.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %1 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "tensor.empty"() : () -> tensor<20xi32>
    %3 = "linalg.generic"(%1, %2) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: i32, %arg23: i32):
      "linalg.yield"(%arg22) : (i32) -> ()
    }) : (tensor<i32>, tensor<20xi32>) -> tensor<20xi32>
    %4 = "tensor.empty"() : () -> tensor<20xi1>
    %5 = "linalg.generic"(%arg1, %3, %4) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg19: i32, %arg20: i32, %arg21: i1):
      %17 = "arith.cmpi"(%arg19, %arg20) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "linalg.yield"(%17) : (i1) -> ()
    }) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi1>) -> tensor<20xi1>
    %6 = "linalg.generic"(%0, %2) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg17: i32, %arg18: i32):
      "linalg.yield"(%arg17) : (i32) -> ()
    }) : (tensor<i32>, tensor<20xi32>) -> tensor<20xi32>
    %7 = "linalg.generic"(%arg1, %6, %2) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg14: i32, %arg15: i32, %arg16: i32):
      %16 = "arith.addi"(%arg14, %arg15) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%16) : (i32) -> ()
    }) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %8 = "linalg.generic"(%5, %7, %arg1, %2) <{indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg10: i1, %arg11: i32, %arg12: i32, %arg13: i32):
      %15 = "arith.select"(%arg10, %arg11, %arg12) : (i1, i32, i32) -> i32
      "linalg.yield"(%15) : (i32) -> ()
    }) : (tensor<20xi1>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> tensor<20xi32>
    %9 = "tensor.empty"() : () -> tensor<20x1xi32>
    %10 = "linalg.generic"(%8, %9) <{indexing_maps = [#map2, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg8: i32, %arg9: i32):
      "linalg.yield"(%arg8) : (i32) -> ()
    }) : (tensor<20xi32>, tensor<20x1xi32>) -> tensor<20x1xi32>
    %11 = "stablehlo.scatter"(%arg0, %10, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %12 = "tensor.empty"() : () -> tensor<f32>
      %13 = "linalg.generic"(%arg3, %arg4, %12) <{indexing_maps = [#map4, #map4, #map4], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
        %14 = "arith.maximumf"(%arg5, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%14) : (f32) -> ()
      }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%13) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<20x1xi32>, tensor<20xf32>) -> tensor<8xf32>
    "func.return"(%11) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {} : () -> ()
