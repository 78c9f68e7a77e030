// Values of all computations are combined in the order of the points, before and after partitioning.
// RUN: mdh-opt %s --mdh-keep-order --split-input-file | FileCheck %s
// RUN: mdh-opt %s --mdh-schedule --mdh-keep-order --mdh-partition --split-input-file | FileCheck %s --check-prefix=SCALAR
// RUN: mdh-opt %s --mdh-schedule --mdh-partition --mdh-keep-order --split-input-file | FileCheck %s --check-prefix=SCALAR
// RUN: mdh-opt %s --lower-mdh="strict=true stop-after=hom" --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK: combine [#mdh.pw<add>] attributes {ordered} {
// SCALAR-LABEL: func.func @sum
// SCALAR: mdh.lowlevel.scalar {{.*}}ordered} {
func.func @sum(%x: tensor<8xf32>) -> tensor<1xf32> {
  %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %r[affine_map<(k) -> (0)>] : !mdh.mda<1, f32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

// Other attributes stay.
// CHECK-LABEL: func.func @names
// CHECK: combine [#mdh.cc, #mdh.ps<add>] attributes {dimension_names = ["i", "k"], ordered} {
func.func @names(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<add>] attributes {dimension_names = ["i", "k"]} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x8, f32>
  %y = mdh.view.out_view %r[affine_map<(i, k) -> (i, k)>] : !mdh.mda<4x8, f32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
