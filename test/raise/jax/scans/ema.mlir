// JAX 0.10.2, lowered to linalg: lax.scan(lambda c, v: (0.9 * c + 0.1 * v,) * 2, 0.0, x)[1]
// RUN: %python %S/../../Inputs/arrays.py %t 16
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16xf32>) -> tensor<16xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg16: tensor<16xf32>):
    %26 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %27 = "arith.constant"() <{value = 16 : i32}> : () -> i32
    %28 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %29 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "tensor.empty"() : () -> tensor<16xf32>
    %31 = "linalg.generic"(%29, %30) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    %32:4 = "stablehlo.while"(%arg16, %28, %29, %31) ({
    ^bb0(%arg23: tensor<16xf32>, %arg24: tensor<i32>, %arg25: tensor<f32>, %arg26: tensor<16xf32>):
      %39 = "tensor.empty"() : () -> tensor<i1>
      %40 = "linalg.generic"(%arg24, %39) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg27: i32, %arg28: i1):
        %41 = "arith.cmpi"(%arg27, %27) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%41) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%40) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg17: tensor<16xf32>, %arg18: tensor<i32>, %arg19: tensor<f32>, %arg20: tensor<16xf32>):
      %33 = "func.call"(%arg17, %arg18) <{callee = @dynamic_index_in_dim}> : (tensor<16xf32>, tensor<i32>) -> tensor<f32>
      %34:2 = "func.call"(%arg19, %33) <{callee = @closed_call}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %35 = "func.call"(%arg20, %34#1, %arg18) <{callee = @dynamic_update_index_in_dim}> : (tensor<16xf32>, tensor<f32>, tensor<i32>) -> tensor<16xf32>
      %36 = "tensor.empty"() : () -> tensor<i32>
      %37 = "linalg.generic"(%arg18, %36) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg21: i32, %arg22: i32):
        %38 = "arith.addi"(%arg21, %26) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%38) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg17, %37, %34#0, %35) : (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>) -> ()
    }) : (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>)
    "func.return"(%32#3) : (tensor<16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16xf32>, tensor<i32>) -> tensor<f32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<16xf32>, %arg15: tensor<i32>):
    %18 = "arith.constant"() <{value = 15 : index}> : () -> index
    %19 = "arith.constant"() <{value = 0 : index}> : () -> index
    %20 = "tensor.extract"(%arg15) : (tensor<i32>) -> i32
    %21 = "arith.index_cast"(%20) : (i32) -> index
    %22 = "arith.maxsi"(%21, %19) : (index, index) -> index
    %23 = "arith.minsi"(%22, %18) : (index, index) -> index
    %24 = "tensor.extract_slice"(%arg14, %23) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<16xf32>, index) -> tensor<1xf32>
    %25 = "tensor.collapse_shape"(%24) <{reassociation = []}> : (tensor<1xf32>) -> tensor<f32>
    "func.return"(%25) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
    %9 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
    %11 = "tensor.empty"() : () -> tensor<f32>
    %12 = "linalg.generic"(%arg5, %11) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32):
      %17 = "arith.mulf"(%arg12, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %13 = "linalg.generic"(%arg6, %11) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32):
      %16 = "arith.mulf"(%arg10, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %14 = "linalg.generic"(%12, %13, %11) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32, %arg9: f32):
      %15 = "arith.addf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%15) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%14, %14) : (tensor<f32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16xf32>, tensor<f32>, tensor<i32>) -> tensor<16xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>):
    %0 = "arith.constant"() <{value = 15 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0 : index}> : () -> index
    %2 = "tensor.empty"() : () -> tensor<1xf32>
    %3 = "linalg.generic"(%arg1, %2) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %4 = "tensor.extract"(%arg2) : (tensor<i32>) -> i32
    %5 = "arith.index_cast"(%4) : (i32) -> index
    %6 = "arith.maxsi"(%5, %1) : (index, index) -> index
    %7 = "arith.minsi"(%6, %0) : (index, index) -> index
    %8 = "tensor.insert_slice"(%3, %arg0, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<1xf32>, tensor<16xf32>, index) -> tensor<16xf32>
    "func.return"(%8) : (tensor<16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
