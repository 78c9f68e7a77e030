// JAX 0.10.2, lowered to linalg: lax.fori_loop(0, 5, lambda i, c: c.at[i].set(c[i] + 1), x)
// RUN: mdh-opt --mdh-raise --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 8
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check

// CHECK: mdh.view.out_view %{{.*}} into %{{.*}} : !mdh.mda<5, f32>, tensor<8xf32> -> tensor<8xf32>
// CHECK-NOT: scf.
#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<(d0) -> (d0)>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg18: tensor<8xf32>):
    %28 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %29 = "arith.constant"() <{value = 5 : i32}> : () -> i32
    %30 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31:3 = "stablehlo.while"(%30, %30, %arg18) ({
    ^bb0(%arg24: tensor<i32>, %arg25: tensor<i32>, %arg26: tensor<8xf32>):
      %36 = "tensor.empty"() : () -> tensor<i1>
      %37 = "linalg.generic"(%arg24, %36) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg27: i32, %arg28: i1):
        %38 = "arith.cmpi"(%arg27, %29) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%38) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%37) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg19: tensor<i32>, %arg20: tensor<i32>, %arg21: tensor<8xf32>):
      %32:2 = "func.call"(%arg20, %arg21) <{callee = @closed_call}> : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
      %33 = "tensor.empty"() : () -> tensor<i32>
      %34 = "linalg.generic"(%arg19, %33) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg22: i32, %arg23: i32):
        %35 = "arith.addi"(%arg22, %28) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%35) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%34, %32#0, %32#1) : (tensor<i32>, tensor<i32>, tensor<8xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<i32>, tensor<8xf32>)
    "func.return"(%31#2) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<8xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 7 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %6 = "tensor.empty"() : () -> tensor<i32>
    %7 = "linalg.generic"(%arg0, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: i32, %arg17: i32):
      %27 = "arith.addi"(%arg16, %5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%27) : (i32) -> ()
    }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "tensor.empty"() : () -> tensor<i1>
    %9 = "linalg.generic"(%arg0, %8) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: i32, %arg15: i1):
      %26 = "arith.cmpi"(%arg14, %4) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "linalg.yield"(%26) : (i1) -> ()
    }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
    %10 = "linalg.generic"(%arg0, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg12: i32, %arg13: i32):
      %25 = "arith.addi"(%arg12, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%25) : (i32) -> ()
    }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %11 = "linalg.generic"(%9, %10, %arg0, %6) <{indexing_maps = [#map, #map, #map, #map], iterator_types = [], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg8: i1, %arg9: i32, %arg10: i32, %arg11: i32):
      %24 = "arith.select"(%arg8, %arg9, %arg10) : (i1, i32, i32) -> i32
      "linalg.yield"(%24) : (i32) -> ()
    }) : (tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %12 = "tensor.extract"(%11) : (tensor<i32>) -> i32
    %13 = "arith.index_cast"(%12) : (i32) -> index
    %14 = "arith.maxsi"(%13, %2) : (index, index) -> index
    %15 = "arith.minsi"(%14, %1) : (index, index) -> index
    %16 = "tensor.extract_slice"(%arg1, %15) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<8xf32>, index) -> tensor<1xf32>
    %17 = "tensor.collapse_shape"(%16) <{reassociation = []}> : (tensor<1xf32>) -> tensor<f32>
    %18 = "tensor.empty"() : () -> tensor<f32>
    %19 = "linalg.generic"(%17, %18) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %23 = "arith.addf"(%arg6, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%23) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %20 = "tensor.empty"() : () -> tensor<1xi32>
    %21 = "linalg.generic"(%11, %20) <{indexing_maps = [#map1, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: i32, %arg5: i32):
      "linalg.yield"(%arg4) : (i32) -> ()
    }) : (tensor<i32>, tensor<1xi32>) -> tensor<1xi32>
    %22 = "stablehlo.scatter"(%arg1, %21, %19) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      "stablehlo.return"(%arg3) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<1xi32>, tensor<f32>) -> tensor<8xf32>
    "func.return"(%7, %22) : (tensor<i32>, tensor<8xf32>) -> ()
  }) : () -> ()
}) {} : () -> ()
