// JAX 0.10.2, lowered to linalg: lax.switch(k, [lambda y: -y, lambda y: y * 2, lambda y: lax.cond(y.sum() > 1, lambda z: z * z, lambda z: z + 1, y)], x)
// RUN: mdh-opt --mdh-raise --mdh-expand-unregistered --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: %python %S/../../Inputs/arrays.py %t 4
// RUN: %against-numpy mdh run %s --function main --input 0 --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function main --input 1 --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function main --input 2 --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function main --input 9 --input %t0.npy --check

// CHECK-LABEL: @main
// CHECK:       scf.if
// CHECK:         md_hom
// CHECK:       } else {
// CHECK:         scf.if
// CHECK:           md_hom
// CHECK:         } else {
// CHECK:           scf.if
#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0) -> ()>
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<i32>, tensor<4xf32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<4xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "arith.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "tensor.empty"() : () -> tensor<i32>
    %7 = "linalg.generic"(%arg0, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: i32, %arg26: i32):
      %33 = "arith.maxsi"(%arg25, %3) : (i32, i32) -> i32
      %34 = "arith.minsi"(%33, %2) : (i32, i32) -> i32
      "linalg.yield"(%34) : (i32) -> ()
    }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "stablehlo.case"(%7) ({
      %30 = "tensor.empty"() : () -> tensor<4xf32>
      %31 = "linalg.generic"(%arg1, %30) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg23: f32, %arg24: f32):
        %32 = "arith.negf"(%arg23) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%32) : (f32) -> ()
      }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%31) : (tensor<4xf32>) -> ()
    }, {
      %26 = "tensor.empty"() : () -> tensor<4xf32>
      %27 = "linalg.generic"(%5, %26) <{indexing_maps = [#map2, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg21: f32, %arg22: f32):
        "linalg.yield"(%arg21) : (f32) -> ()
      }) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      %28 = "linalg.generic"(%arg1, %27, %26) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
        %29 = "arith.mulf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%29) : (f32) -> ()
      }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%28) : (tensor<4xf32>) -> ()
    }, {
      %9 = "tensor.empty"() : () -> tensor<f32>
      %10 = "linalg.fill"(%1, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg16: f32, %arg17: f32):
        "linalg.yield"(%arg16) : (f32) -> ()
      }) : (f32, tensor<f32>) -> tensor<f32>
      %11 = "linalg.generic"(%arg1, %10) <{indexing_maps = [#map1, #map2], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg14: f32, %arg15: f32):
        %25 = "arith.addf"(%arg15, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%25) : (f32) -> ()
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %12 = "tensor.empty"() : () -> tensor<i1>
      %13 = "linalg.generic"(%11, %12) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg12: f32, %arg13: i1):
        %24 = "arith.cmpf"(%arg12, %0) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
        "linalg.yield"(%24) : (i1) -> ()
      }) : (tensor<f32>, tensor<i1>) -> tensor<i1>
      %14 = "linalg.generic"(%13, %6) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg10: i1, %arg11: i32):
        %23 = "arith.extui"(%arg10) : (i1) -> i32
        "linalg.yield"(%23) : (i32) -> ()
      }) : (tensor<i1>, tensor<i32>) -> tensor<i32>
      %15 = "stablehlo.case"(%14) ({
        %19 = "tensor.empty"() : () -> tensor<4xf32>
        %20 = "linalg.generic"(%4, %19) <{indexing_maps = [#map2, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
        ^bb0(%arg8: f32, %arg9: f32):
          "linalg.yield"(%arg8) : (f32) -> ()
        }) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
        %21 = "linalg.generic"(%arg1, %20, %19) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
        ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
          %22 = "arith.addf"(%arg5, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "linalg.yield"(%22) : (f32) -> ()
        }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        "stablehlo.return"(%21) : (tensor<4xf32>) -> ()
      }, {
        %16 = "tensor.empty"() : () -> tensor<4xf32>
        %17 = "linalg.generic"(%arg1, %arg1, %16) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
        ^bb0(%arg2: f32, %arg3: f32, %arg4: f32):
          %18 = "arith.mulf"(%arg2, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "linalg.yield"(%18) : (f32) -> ()
        }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        "stablehlo.return"(%17) : (tensor<4xf32>) -> ()
      }) : (tensor<i32>) -> tensor<4xf32>
      "stablehlo.return"(%15) : (tensor<4xf32>) -> ()
    }) : (tensor<i32>) -> tensor<4xf32>
    "func.return"(%8) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) {} : () -> ()
