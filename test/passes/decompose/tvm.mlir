// The schedule of TVM (CC23) for the ResNet-50 matrix product, in five-layer form.
// RUN: mdh-opt %s --pass-pipeline='builtin.module(mdh-schedule{file=%examples/schedules/matmul_resnet50_tvm.json},mdh-partition,mdh-tag-operators,mdh-promote-memory)' | FileCheck %s
// CHECK: decompose {{.*}} level(1, 2) parts 50 tag #mdh.tag<SMX, x> reads [DM[1, 2], DM[1, 2]]
// CHECK: decompose {{.*}} level(4, 3) parts 128 tag #mdh.tag<SM, z> reads [SM[1, 2], SM[1, 2]]
// CHECK: scalar {{.*}} reads [SM[1, 2], SM[1, 2]] writes [RM[1, 2]]
// CHECK: recompose {{.*}} combine #mdh.cc level(3, 2) parts 20 tag #mdh.tag<CC, x> writes [RM[1, 2]]
// CHECK: recompose {{.*}} combine #mdh.pw<add> level(2, 3) parts 8 tag #mdh.tag<DM, z> writes [DM[1, 2]]
func.func @matmul(%A: tensor<16x2048xf32>, %B: tensor<2048x1000xf32>) -> tensor<16x1000xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>] : (tensor<16x2048xf32>, tensor<2048x1000xf32>) -> !mdh.mda<16x1000x2048, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x1000x2048, f32, f32> -> !mdh.mda<16x1000x1, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<16x1000x1, f32> -> tensor<16x1000xf32>
  return %o : tensor<16x1000xf32>
}
