// JAX 0.10.2, lowered to linalg: zeros(32).at[(e * 32).astype(int32)].add(1.0)
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 100
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: arith.index_cast
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: tensor.insert
// CHECK-NOT: stablehlo.
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<100xf32>) -> tensor<32xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<100xf32>):
    %0 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "arith.constant"() <{value = dense<32> : tensor<i32>}> : () -> tensor<i32>
    %2 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "arith.constant"() <{value = dense<3.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %4 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "tensor.empty"() : () -> tensor<32xf32>
    %6 = "linalg.generic"(%4, %5) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) : (tensor<f32>, tensor<32xf32>) -> tensor<32xf32>
    %7 = "tensor.empty"() : () -> tensor<100xf32>
    %8 = "linalg.generic"(%3, %7) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) : (tensor<f32>, tensor<100xf32>) -> tensor<100xf32>
    %9 = "linalg.generic"(%arg0, %8, %7) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %29 = "arith.mulf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%29) : (f32) -> ()
    }) : (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
    %10 = "tensor.empty"() : () -> tensor<100xi32>
    %11 = "linalg.generic"(%9, %10) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: i32):
      %28 = "arith.fptosi"(%arg24) : (f32) -> i32
      "linalg.yield"(%28) : (i32) -> ()
    }) : (tensor<100xf32>, tensor<100xi32>) -> tensor<100xi32>
    %12 = "linalg.generic"(%2, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: i32, %arg23: i32):
      "linalg.yield"(%arg22) : (i32) -> ()
    }) : (tensor<i32>, tensor<100xi32>) -> tensor<100xi32>
    %13 = "tensor.empty"() : () -> tensor<100xi1>
    %14 = "linalg.generic"(%11, %12, %13) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg19: i32, %arg20: i32, %arg21: i1):
      %27 = "arith.cmpi"(%arg19, %arg20) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "linalg.yield"(%27) : (i1) -> ()
    }) : (tensor<100xi32>, tensor<100xi32>, tensor<100xi1>) -> tensor<100xi1>
    %15 = "linalg.generic"(%1, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg17: i32, %arg18: i32):
      "linalg.yield"(%arg17) : (i32) -> ()
    }) : (tensor<i32>, tensor<100xi32>) -> tensor<100xi32>
    %16 = "linalg.generic"(%11, %15, %10) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg14: i32, %arg15: i32, %arg16: i32):
      %26 = "arith.addi"(%arg14, %arg15) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%26) : (i32) -> ()
    }) : (tensor<100xi32>, tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    %17 = "linalg.generic"(%14, %16, %11, %10) <{indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg10: i1, %arg11: i32, %arg12: i32, %arg13: i32):
      %25 = "arith.select"(%arg10, %arg11, %arg12) : (i1, i32, i32) -> i32
      "linalg.yield"(%25) : (i32) -> ()
    }) : (tensor<100xi1>, tensor<100xi32>, tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    %18 = "tensor.empty"() : () -> tensor<100x1xi32>
    %19 = "linalg.generic"(%17, %18) <{indexing_maps = [#map2, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg8: i32, %arg9: i32):
      "linalg.yield"(%arg8) : (i32) -> ()
    }) : (tensor<100xi32>, tensor<100x1xi32>) -> tensor<100x1xi32>
    %20 = "linalg.generic"(%0, %7) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      "linalg.yield"(%arg6) : (f32) -> ()
    }) : (tensor<f32>, tensor<100xf32>) -> tensor<100xf32>
    %21 = "stablehlo.scatter"(%6, %19, %20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %22 = "tensor.empty"() : () -> tensor<f32>
      %23 = "linalg.generic"(%arg1, %arg2, %22) <{indexing_maps = [#map4, #map4, #map4], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
        %24 = "arith.addf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%24) : (f32) -> ()
      }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%23) : (tensor<f32>) -> ()
    }) : (tensor<32xf32>, tensor<100x1xi32>, tensor<100xf32>) -> tensor<32xf32>
    "func.return"(%21) : (tensor<32xf32>) -> ()
  }) : () -> ()
}) {} : () -> ()
