// RUN: mdh-opt %s | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --mlir-print-op-generic | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --emit-bytecode | mdh-opt | FileCheck %s

// CHECK: mdh.lowlevel.system @cuda memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM] limit [?, 1024]
mdh.lowlevel.system @cuda memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM] limit [?, 1024]
// CHECK: mdh.lowlevel.system @plain memory [MM: global] cores []
mdh.lowlevel.system @plain memory [MM: global] cores []
// CHECK: mdh.lowlevel.system @"a name" memory [layer_1: global] cores [COR: threads] {note = 1 : i64}
mdh.lowlevel.system @"a name" memory [layer_1: global] cores [COR: threads] {note = 1 : i64}
// CHECK: mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @matvec(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // CHECK: mdh.lowlevel.scalar %{{.*}} on @small order {{\[\[1, 2\], \[3, 4\], \[5, 6\]\]}} tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  // CHECK: mdh.lowlevel.recompose %{{.*}} combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// Between the passes, a step may lack its placements, and before that its tag.
// CHECK-LABEL: @incomplete
func.func @incomplete(%a: !mdh.mda<?x5x6x7, i32>) {
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(1, 1) parts ? : !mdh.mda<?x5x6x7, i32>
  %0 = mdh.lowlevel.decompose %a level(1, 1) parts ? : !mdh.mda<?x5x6x7, i32>
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(1, 4) parts 7 tag #mdh.tag<COR, 4> : !mdh.mda<?x5x6x7, i32>
  %1 = mdh.lowlevel.decompose %0 level(1, 4) parts 7 tag #mdh.tag<COR, 4> : !mdh.mda<?x5x6x7, i32>
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(1, 3) parts 6 tag #mdh.tag<"a layer", z> {note} : !mdh.mda<?x5x6x7, i32>
  %2 = mdh.lowlevel.decompose %1 level(1, 3) parts 6 tag #mdh.tag<"a layer", z> {note} : !mdh.mda<?x5x6x7, i32>
  // CHECK: mdh.lowlevel.scalar %{{.*}} on @unknown order {{\[\[1, 2, 3, 4\]\]}} attributes {dimension_names = ["n", "p", "q", "c"], homomorphism} {
  %3 = mdh.lowlevel.scalar %2 on @unknown order [[1, 2, 3, 4]] attributes {homomorphism, dimension_names = ["n", "p", "q", "c"]} {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<?x5x6x7, i32> -> !mdh.mda<?x5x6x7, i32>
  // CHECK: mdh.lowlevel.recompose %{{.*}} combine #mdh.pw<add> level(1, 1) parts ? tag #mdh.tag<COR, x> : !mdh.mda<?x5x6x7, i32> -> !mdh.mda<1x5x6x7, i32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.pw<add> level(1, 1) parts ? tag #mdh.tag<COR, x> : !mdh.mda<?x5x6x7, i32> -> !mdh.mda<1x5x6x7, i32>
  return
}

// CHECK-LABEL: @attributes
// CHECK-SAME: mdh.a = #mdh.placement<HM[2, 1]>, mdh.b = #mdh.placement<"a layer"[]>, mdh.c = #mdh.tag<L1, y>
func.func @attributes() attributes {mdh.a = #mdh.placement<HM[2, 1]>, mdh.b = #mdh.placement<"a layer"[]>, mdh.c = #mdh.tag<L1, y>} {
  return
}

// The storage of parts follows the layout; the default is one buffer slot.
// CHECK-LABEL: @stored
// CHECK-SAME: mdh.a = #mdh.placement<SM[2, 1] pad 1>, mdh.b = #mdh.placement<SM[1, 2] buffers 2>, mdh.c = #mdh.placement<SM[] pad 64 buffers 2>, mdh.d = #mdh.placement<SM[1]>
func.func @stored() attributes {mdh.a = #mdh.placement<SM[2, 1] pad 1>, mdh.b = #mdh.placement<SM[1, 2] buffers 2>, mdh.c = #mdh.placement<SM[] pad 64 buffers 2>, mdh.d = #mdh.placement<SM[1] buffers 1>} {
  return
}
