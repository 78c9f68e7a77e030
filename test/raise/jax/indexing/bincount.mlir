// JAX 0.10.2, lowered to linalg: jnp.bincount(i, length=8)
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 50@9
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

// CHECK: scf.for
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<50xi32>) -> tensor<8xi32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<50xi32>):
    %4 = "arith.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %5 = "arith.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %6 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7 = "tensor.empty"() : () -> tensor<8xi32>
    %8 = "linalg.generic"(%6, %7) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: i32, %arg32: i32):
      "linalg.yield"(%arg31) : (i32) -> ()
    }) : (tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
    %9 = "func.call"(%arg7, %6) <{callee = @clip}> : (tensor<50xi32>, tensor<i32>) -> tensor<50xi32>
    %10 = "tensor.empty"() : () -> tensor<50xi32>
    %11 = "linalg.generic"(%6, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: i32, %arg30: i32):
      "linalg.yield"(%arg29) : (i32) -> ()
    }) : (tensor<i32>, tensor<50xi32>) -> tensor<50xi32>
    %12 = "tensor.empty"() : () -> tensor<50xi1>
    %13 = "linalg.generic"(%9, %11, %12) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: i32, %arg27: i32, %arg28: i1):
      %26 = "arith.cmpi"(%arg26, %arg27) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "linalg.yield"(%26) : (i1) -> ()
    }) : (tensor<50xi32>, tensor<50xi32>, tensor<50xi1>) -> tensor<50xi1>
    %14 = "linalg.generic"(%5, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: i32, %arg25: i32):
      "linalg.yield"(%arg24) : (i32) -> ()
    }) : (tensor<i32>, tensor<50xi32>) -> tensor<50xi32>
    %15 = "linalg.generic"(%9, %14, %10) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: i32, %arg22: i32, %arg23: i32):
      %25 = "arith.addi"(%arg21, %arg22) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%25) : (i32) -> ()
    }) : (tensor<50xi32>, tensor<50xi32>, tensor<50xi32>) -> tensor<50xi32>
    %16 = "linalg.generic"(%13, %15, %9, %10) <{indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg17: i1, %arg18: i32, %arg19: i32, %arg20: i32):
      %24 = "arith.select"(%arg17, %arg18, %arg19) : (i1, i32, i32) -> i32
      "linalg.yield"(%24) : (i32) -> ()
    }) : (tensor<50xi1>, tensor<50xi32>, tensor<50xi32>, tensor<50xi32>) -> tensor<50xi32>
    %17 = "tensor.empty"() : () -> tensor<50x1xi32>
    %18 = "linalg.generic"(%16, %17) <{indexing_maps = [#map2, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg15: i32, %arg16: i32):
      "linalg.yield"(%arg15) : (i32) -> ()
    }) : (tensor<50xi32>, tensor<50x1xi32>) -> tensor<50x1xi32>
    %19 = "linalg.generic"(%4, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: i32, %arg14: i32):
      "linalg.yield"(%arg13) : (i32) -> ()
    }) : (tensor<i32>, tensor<50xi32>) -> tensor<50xi32>
    %20 = "stablehlo.scatter"(%8, %18, %19) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
      %21 = "tensor.empty"() : () -> tensor<i32>
      %22 = "linalg.generic"(%arg8, %arg9, %21) <{indexing_maps = [#map4, #map4, #map4], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg10: i32, %arg11: i32, %arg12: i32):
        %23 = "arith.addi"(%arg10, %arg11) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%23) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%22) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<50x1xi32>, tensor<50xi32>) -> tensor<8xi32>
    "func.return"(%20) : (tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<50xi32>, tensor<i32>) -> tensor<50xi32>, res_attrs = [{}], sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<50xi32>, %arg1: tensor<i32>):
    %0 = "tensor.empty"() : () -> tensor<50xi32>
    %1 = "linalg.generic"(%arg1, %0) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg5: i32, %arg6: i32):
      "linalg.yield"(%arg5) : (i32) -> ()
    }) : (tensor<i32>, tensor<50xi32>) -> tensor<50xi32>
    %2 = "linalg.generic"(%1, %arg0, %0) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg2: i32, %arg3: i32, %arg4: i32):
      %3 = "arith.maxsi"(%arg2, %arg3) : (i32, i32) -> i32
      "linalg.yield"(%3) : (i32) -> ()
    }) : (tensor<50xi32>, tensor<50xi32>, tensor<50xi32>) -> tensor<50xi32>
    "func.return"(%2) : (tensor<50xi32>) -> ()
  }) : () -> ()
}) {} : () -> ()
