// JAX 0.10.2, lowered to linalg: lax.scan(lambda c, v: (c + v, c + v), 0.0, x)[1]
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 16
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
// The functions that the loop calls are not checked before it is raised.
// RUN: mdh explain %s --function main | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: dimensions: 1: 16, ps<

// CHECK: init(%{{.*}} : f32) combine [#mdh.ps<[add]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK-NOT: scf.
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16xf32>) -> tensor<16xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg12: tensor<16xf32>):
    %20 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %21 = "arith.constant"() <{value = 16 : i32}> : () -> i32
    %22 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %23 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "tensor.empty"() : () -> tensor<16xf32>
    %25 = "linalg.generic"(%23, %24) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    %26:4 = "stablehlo.while"(%arg12, %22, %23, %25) ({
    ^bb0(%arg19: tensor<16xf32>, %arg20: tensor<i32>, %arg21: tensor<f32>, %arg22: tensor<16xf32>):
      %33 = "tensor.empty"() : () -> tensor<i1>
      %34 = "linalg.generic"(%arg20, %33) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg23: i32, %arg24: i1):
        %35 = "arith.cmpi"(%arg23, %21) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%35) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%34) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg13: tensor<16xf32>, %arg14: tensor<i32>, %arg15: tensor<f32>, %arg16: tensor<16xf32>):
      %27 = "func.call"(%arg13, %arg14) <{callee = @dynamic_index_in_dim}> : (tensor<16xf32>, tensor<i32>) -> tensor<f32>
      %28:2 = "func.call"(%arg15, %27) <{callee = @closed_call}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %29 = "func.call"(%arg16, %28#1, %arg14) <{callee = @dynamic_update_index_in_dim}> : (tensor<16xf32>, tensor<f32>, tensor<i32>) -> tensor<16xf32>
      %30 = "tensor.empty"() : () -> tensor<i32>
      %31 = "linalg.generic"(%arg14, %30) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg17: i32, %arg18: i32):
        %32 = "arith.addi"(%arg17, %20) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%32) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg13, %31, %28#0, %29) : (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>) -> ()
    }) : (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<16xf32>)
    "func.return"(%26#3) : (tensor<16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16xf32>, tensor<i32>) -> tensor<f32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<16xf32>, %arg11: tensor<i32>):
    %12 = "arith.constant"() <{value = 15 : index}> : () -> index
    %13 = "arith.constant"() <{value = 0 : index}> : () -> index
    %14 = "tensor.extract"(%arg11) : (tensor<i32>) -> i32
    %15 = "arith.index_cast"(%14) : (i32) -> index
    %16 = "arith.maxsi"(%15, %13) : (index, index) -> index
    %17 = "arith.minsi"(%16, %12) : (index, index) -> index
    %18 = "tensor.extract_slice"(%arg10, %17) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<16xf32>, index) -> tensor<1xf32>
    %19 = "tensor.collapse_shape"(%18) <{reassociation = []}> : (tensor<1xf32>) -> tensor<f32>
    "func.return"(%19) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
    %9 = "tensor.empty"() : () -> tensor<f32>
    %10 = "linalg.generic"(%arg5, %arg6, %9) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32, %arg9: f32):
      %11 = "arith.addf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%10, %10) : (tensor<f32>, tensor<f32>) -> ()
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
