// RUN: mdh-opt %s --mdh-capture-scalars | FileCheck %s
// RUN: mdh-opt %s --canonicalize --mdh-capture-scalars --mdh-check | FileCheck %s

// Constants are cloned into the scalar function; other scalars become its last arguments.
// CHECK-LABEL: func.func @captured
// CHECK-SAME: %[[ALPHA:.*]]: f32, %[[N:.*]]: i8, %[[X:.*]]: tensor<8x?xf32>, %[[SIZE:.*]]: index
// CHECK-DAG: %[[A:.*]] = tensor.from_elements %[[ALPHA]] : tensor<f32>
// CHECK-DAG: %[[B:.*]] = tensor.from_elements %[[N]] : tensor<i8>
// CHECK: mdh.view.inp_view %[[X]][#{{.*}}], %[[A]][#[[NONE:.*]]], %[[B]][#[[NONE]]] extents(%[[SIZE]])
// CHECK-SAME: -> !mdh.mda<8x?, f32, f32, i8>
// CHECK: mdh.hom.md_hom
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %[[R:.*]]: i8):
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: arith.mulf %[[P]], %[[Q]]
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
// CHECK: arith.sitofp %[[R]]
func.func @captured(%alpha: f32, %n: i8, %x: tensor<8x?xf32>, %size: index) -> tensor<8x?xf32> {
  %two = arith.constant 2.0 : f32
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, 2 * j)>] extents(%size) : (tensor<8x?xf32>) -> !mdh.mda<8x?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %alpha : f32
    %c = arith.mulf %b, %two : f32
    %d = arith.sitofp %n : i8 to f32
    %e = arith.addf %c, %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x?, f32> -> !mdh.mda<8x?, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<8x?, f32> -> tensor<8x?xf32>
  return %w : tensor<8x?xf32>
}
