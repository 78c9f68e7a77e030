// JAX 0.10.2, lowered to linalg: lax.fori_loop(0, 5, lambda k, d: jnp.minimum(d, d[:, k, None] + d[k]), d)
// RUN: %python %S/../../Inputs/arrays.py %t 5x5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x5xf32>) -> tensor<5x5xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg31: tensor<5x5xf32>):
    %43 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %44 = "arith.constant"() <{value = 5 : i32}> : () -> i32
    %45 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %46:3 = "stablehlo.while"(%45, %45, %arg31) ({
    ^bb0(%arg37: tensor<i32>, %arg38: tensor<i32>, %arg39: tensor<5x5xf32>):
      %51 = "tensor.empty"() : () -> tensor<i1>
      %52 = "linalg.generic"(%arg37, %51) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg40: i32, %arg41: i1):
        %53 = "arith.cmpi"(%arg40, %44) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%53) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg32: tensor<i32>, %arg33: tensor<i32>, %arg34: tensor<5x5xf32>):
      %47:2 = "func.call"(%arg33, %arg34) <{callee = @closed_call}> : (tensor<i32>, tensor<5x5xf32>) -> (tensor<i32>, tensor<5x5xf32>)
      %48 = "tensor.empty"() : () -> tensor<i32>
      %49 = "linalg.generic"(%arg32, %48) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg35: i32, %arg36: i32):
        %50 = "arith.addi"(%arg35, %43) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%50) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%49, %47#0, %47#1) : (tensor<i32>, tensor<i32>, tensor<5x5xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<5x5xf32>) -> (tensor<i32>, tensor<i32>, tensor<5x5xf32>)
    "func.return"(%46#2) : (tensor<5x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<5x5xf32>) -> (tensor<i32>, tensor<5x5xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<5x5xf32>):
    %0 = "arith.constant"() <{value = false}> : () -> i1
    %1 = "arith.constant"() <{value = 4 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "arith.constant"() <{value = 5 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %6 = "tensor.empty"() : () -> tensor<i32>
    %7 = "linalg.generic"(%arg0, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: i32, %arg30: i32):
      %42 = "arith.addi"(%arg29, %5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%42) : (i32) -> ()
    }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "tensor.empty"() : () -> tensor<i1>
    %9 = "linalg.generic"(%8) <{indexing_maps = [#map], iterator_types = [], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg28: i1):
      "linalg.yield"(%0) : (i1) -> ()
    }) : (tensor<i1>) -> tensor<i1>
    %10 = "linalg.generic"(%6) <{indexing_maps = [#map], iterator_types = [], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg27: i32):
      "linalg.yield"(%3) : (i32) -> ()
    }) : (tensor<i32>) -> tensor<i32>
    %11 = "linalg.generic"(%9, %10, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: i1, %arg25: i32, %arg26: i32):
      %41 = "arith.select"(%arg24, %arg25, %4) : (i1, i32, i32) -> i32
      "linalg.yield"(%41) : (i32) -> ()
    }) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %12 = "linalg.generic"(%arg0, %8) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: i32, %arg23: i1):
      %40 = "arith.cmpi"(%arg22, %4) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "linalg.yield"(%40) : (i1) -> ()
    }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
    %13 = "linalg.generic"(%arg0, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: i32, %arg21: i32):
      %39 = "arith.addi"(%arg20, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%39) : (i32) -> ()
    }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %14 = "linalg.generic"(%12, %13, %arg0, %6) <{indexing_maps = [#map, #map, #map, #map], iterator_types = [], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg16: i1, %arg17: i32, %arg18: i32, %arg19: i32):
      %38 = "arith.select"(%arg16, %arg17, %arg18) : (i1, i32, i32) -> i32
      "linalg.yield"(%38) : (i32) -> ()
    }) : (tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %15 = "tensor.extract"(%11) : (tensor<i32>) -> i32
    %16 = "arith.index_cast"(%15) : (i32) -> index
    %17 = "arith.maxsi"(%16, %2) : (index, index) -> index
    %18 = "arith.minsi"(%17, %2) : (index, index) -> index
    %19 = "tensor.extract"(%14) : (tensor<i32>) -> i32
    %20 = "arith.index_cast"(%19) : (i32) -> index
    %21 = "arith.maxsi"(%20, %2) : (index, index) -> index
    %22 = "arith.minsi"(%21, %1) : (index, index) -> index
    %23 = "tensor.extract_slice"(%arg1, %18, %22) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>, static_offsets = array<i64: -9223372036854775808, -9223372036854775808>, static_sizes = array<i64: 5, 1>, static_strides = array<i64: 1, 1>}> : (tensor<5x5xf32>, index, index) -> tensor<5x1xf32>
    %24 = "tensor.collapse_shape"(%23) <{reassociation = [[0, 1]]}> : (tensor<5x1xf32>) -> tensor<5xf32>
    %25 = "tensor.empty"() : () -> tensor<5x1xf32>
    %26 = "linalg.generic"(%24, %25) <{indexing_maps = [#map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      "linalg.yield"(%arg14) : (f32) -> ()
    }) : (tensor<5xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
    %27 = "tensor.extract_slice"(%arg1, %22, %18) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>, static_offsets = array<i64: -9223372036854775808, -9223372036854775808>, static_sizes = array<i64: 1, 5>, static_strides = array<i64: 1, 1>}> : (tensor<5x5xf32>, index, index) -> tensor<1x5xf32>
    %28 = "tensor.collapse_shape"(%27) <{reassociation = [[0, 1]]}> : (tensor<1x5xf32>) -> tensor<5xf32>
    %29 = "tensor.empty"() : () -> tensor<1x5xf32>
    %30 = "linalg.generic"(%28, %29) <{indexing_maps = [#map3, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32):
      "linalg.yield"(%arg12) : (f32) -> ()
    }) : (tensor<5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
    %31 = "tensor.empty"() : () -> tensor<5x5xf32>
    %32 = "linalg.generic"(%26, %31) <{indexing_maps = [#map4, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32):
      "linalg.yield"(%arg10) : (f32) -> ()
    }) : (tensor<5x1xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    %33 = "linalg.generic"(%30, %31) <{indexing_maps = [#map5, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      "linalg.yield"(%arg8) : (f32) -> ()
    }) : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    %34 = "linalg.generic"(%32, %33, %31) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
      %37 = "arith.addf"(%arg5, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%37) : (f32) -> ()
    }) : (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    %35 = "linalg.generic"(%arg1, %34, %31) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg2: f32, %arg3: f32, %arg4: f32):
      %36 = "arith.minimumf"(%arg2, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%36) : (f32) -> ()
    }) : (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    "func.return"(%7, %35) : (tensor<i32>, tensor<5x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
