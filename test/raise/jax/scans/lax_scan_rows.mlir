// JAX 0.10.2, lowered to linalg: lax.scan(lambda c, v: (c * 0.5 + v, c.sum()), zeros(4), x)
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 16x4
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

// CHECK: scf.for
// CHECK: combine [#mdh.pw<[add]>]
// CHECK: tensor.insert
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x4xf32>) -> (tensor<4xf32>, tensor<16xf32>), res_attrs = [{}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg21: tensor<16x4xf32>):
    %29 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %30 = "arith.constant"() <{value = 16 : i32}> : () -> i32
    %31 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %32 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "tensor.empty"() : () -> tensor<4xf32>
    %34 = "linalg.generic"(%32, %33) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      "linalg.yield"(%arg36) : (f32) -> ()
    }) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %35 = "tensor.empty"() : () -> tensor<16xf32>
    %36 = "linalg.generic"(%32, %35) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      "linalg.yield"(%arg34) : (f32) -> ()
    }) : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    %37:4 = "stablehlo.while"(%arg21, %31, %34, %36) ({
    ^bb0(%arg28: tensor<16x4xf32>, %arg29: tensor<i32>, %arg30: tensor<4xf32>, %arg31: tensor<16xf32>):
      %44 = "tensor.empty"() : () -> tensor<i1>
      %45 = "linalg.generic"(%arg29, %44) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg32: i32, %arg33: i1):
        %46 = "arith.cmpi"(%arg32, %30) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%46) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%45) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg22: tensor<16x4xf32>, %arg23: tensor<i32>, %arg24: tensor<4xf32>, %arg25: tensor<16xf32>):
      %38 = "func.call"(%arg22, %arg23) <{callee = @dynamic_index_in_dim}> : (tensor<16x4xf32>, tensor<i32>) -> tensor<4xf32>
      %39:2 = "func.call"(%arg24, %38) <{callee = @closed_call}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
      %40 = "func.call"(%arg25, %39#1, %arg23) <{callee = @dynamic_update_index_in_dim}> : (tensor<16xf32>, tensor<f32>, tensor<i32>) -> tensor<16xf32>
      %41 = "tensor.empty"() : () -> tensor<i32>
      %42 = "linalg.generic"(%arg23, %41) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg26: i32, %arg27: i32):
        %43 = "arith.addi"(%arg26, %29) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%43) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg22, %42, %39#0, %40) : (tensor<16x4xf32>, tensor<i32>, tensor<4xf32>, tensor<16xf32>) -> ()
    }) : (tensor<16x4xf32>, tensor<i32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<16x4xf32>, tensor<i32>, tensor<4xf32>, tensor<16xf32>)
    "func.return"(%37#2, %37#3) : (tensor<4xf32>, tensor<16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16x4xf32>, tensor<i32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<16x4xf32>, %arg20: tensor<i32>):
    %21 = "arith.constant"() <{value = 15 : index}> : () -> index
    %22 = "arith.constant"() <{value = 0 : index}> : () -> index
    %23 = "tensor.extract"(%arg20) : (tensor<i32>) -> i32
    %24 = "arith.index_cast"(%23) : (i32) -> index
    %25 = "arith.maxsi"(%24, %22) : (index, index) -> index
    %26 = "arith.minsi"(%25, %21) : (index, index) -> index
    %27 = "tensor.extract_slice"(%arg19, %26) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 4>, static_strides = array<i64: 1, 1>}> : (tensor<16x4xf32>, index) -> tensor<1x4xf32>
    %28 = "tensor.collapse_shape"(%27) <{reassociation = [[0, 1]]}> : (tensor<1x4xf32>) -> tensor<4xf32>
    "func.return"(%28) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<4xf32>, %arg6: tensor<4xf32>):
    %9 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %11 = "tensor.empty"() : () -> tensor<4xf32>
    %12 = "linalg.generic"(%10, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32):
      "linalg.yield"(%arg17) : (f32) -> ()
    }) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %13 = "linalg.generic"(%arg5, %12, %11) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32, %arg16: f32):
      %20 = "arith.mulf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%20) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %14 = "linalg.generic"(%13, %arg6, %11) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
      %19 = "arith.addf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %15 = "tensor.empty"() : () -> tensor<f32>
    %16 = "linalg.fill"(%9, %15) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %17 = "linalg.generic"(%arg5, %16) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      %18 = "arith.addf"(%arg8, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%18) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%14, %17) : (tensor<4xf32>, tensor<f32>) -> ()
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
}) {} : () -> ()
