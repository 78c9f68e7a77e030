// The paper's Figure 17, step by step: MatVec 512x4096 on the artificial system.
// RUN: mdh-opt %s --pass-pipeline='builtin.module(mdh-schedule{file=%examples/schedules/matvec_figure17.json},mdh-partition,mdh-tag-operators,mdh-promote-memory)' \
// RUN:   | FileCheck %s
// The chain has all information: it can be written by hand, and the passes leave it unchanged.
// RUN: mdh-opt %s --pass-pipeline='builtin.module(mdh-schedule{file=%examples/schedules/matvec_figure17.json},mdh-partition,mdh-tag-operators,mdh-promote-memory)' -o %t.mlir
// RUN: mdh-opt %t.mlir --mdh-check --mdh-schedule --mdh-partition --mdh-tag-operators --mdh-promote-memory | diff %t.mlir -

// CHECK: mdh.lowlevel.system @artificial memory [HM: global, L1: cache] cores [COR: threads]
// CHECK-LABEL: func.func @matvec
func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  // CHECK: %[[IN:.*]] = mdh.view.inp_view
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  // Steps 1 to 7: de-composition.
  // CHECK-NEXT: %[[D1:.*]] = mdh.lowlevel.decompose %[[IN]] level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]]
  // CHECK-NEXT: %[[D2:.*]] = mdh.lowlevel.decompose %[[D1]] level(1, 2) parts 4 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]]
  // CHECK-NEXT: %[[D3:.*]] = mdh.lowlevel.decompose %[[D2]] level(2, 1) parts 8 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]]
  // CHECK-NEXT: %[[D4:.*]] = mdh.lowlevel.decompose %[[D3]] level(2, 2) parts 16 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]]
  // CHECK-NEXT: %[[D5:.*]] = mdh.lowlevel.decompose %[[D4]] level(3, 1) parts 32 tag #mdh.tag<L1, x> reads [HM[1, 2], L1[1]]
  // CHECK-NEXT: %[[D6:.*]] = mdh.lowlevel.decompose %[[D5]] level(3, 2) parts 64 tag #mdh.tag<L1, y> reads [HM[1, 2], L1[1]]
  // Step 8: scalar.
  // CHECK-NEXT: %[[S:.*]] = mdh.lowlevel.scalar %[[D6]] on @artificial order {{\[}}[1, 2], [3, 4], [5, 6]]
  // CHECK-SAME: tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>]
  // CHECK-SAME: reads [HM[1, 2], L1[1]] writes [L1[1]] {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[A]], %[[B]]
  // CHECK-NEXT:   mdh.hom.yield %[[P]]
  // CHECK-NEXT: <512x4096, f32, f32> -> {{.*}}<512x4096, f32>
  // Steps 9 to 15: re-composition.
  // CHECK-NEXT: %[[R6:.*]] = mdh.lowlevel.recompose %[[S]] combine #mdh.pw<add> level(3, 2) parts 64 tag #mdh.tag<L1, y> writes [L1[1]] {{.*}} -> {{.*}}<512x64, f32>
  // CHECK-NEXT: %[[R5:.*]] = mdh.lowlevel.recompose %[[R6]] combine #mdh.cc level(3, 1) parts 32 tag #mdh.tag<L1, x> writes [L1[1]] {{.*}} -> {{.*}}<512x64, f32>
  // CHECK-NEXT: %[[R4:.*]] = mdh.lowlevel.recompose %[[R5]] combine #mdh.pw<add> level(2, 2) parts 16 tag #mdh.tag<COR, y> writes [HM[1]] {{.*}} -> {{.*}}<512x4, f32>
  // CHECK-NEXT: %[[R3:.*]] = mdh.lowlevel.recompose %[[R4]] combine #mdh.cc level(2, 1) parts 8 tag #mdh.tag<COR, x> writes [HM[1]] {{.*}} -> {{.*}}<512x4, f32>
  // CHECK-NEXT: %[[R2:.*]] = mdh.lowlevel.recompose %[[R3]] combine #mdh.pw<add> level(1, 2) parts 4 tag #mdh.tag<HM, y> writes [HM[1]] {{.*}} -> {{.*}}<512x1, f32>
  // CHECK-NEXT: %[[R1:.*]] = mdh.lowlevel.recompose %[[R2]] combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] {{.*}} -> {{.*}}<512x1, f32>
  // CHECK-NEXT: mdh.view.out_view %[[R1]]
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %w : tensor<512xf32>
}
