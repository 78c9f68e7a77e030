// Hand-written steps form a legal schedule, too.
// RUN: not mdh-opt %s --mdh-check 2>&1 | FileCheck %s
// CHECK: S8: {{.*}}(1, 1){{.*}}COR{{.*}}L1{{.*}}@small{{.*}}MM
mdh.lowlevel.system @small memory [MM: global, L1: cache] cores [COR: threads]
func.func @sum(%A: memref<8xf32>, %s: memref<f32>) {
  %0 = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<COR, x> reads [MM[1]] : !mdh.mda<8, f32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 4 tag #mdh.tag<MM, x> reads [MM[1]] : !mdh.mda<8, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [MM[1]] : !mdh.mda<8, f32>
  %4 = mdh.lowlevel.scalar %3 on @small order [[1], [2], [3]] tags [#mdh.tag<COR, x>, #mdh.tag<MM, x>, #mdh.tag<L1, x>]
      reads [MM[1]] writes [MM[]] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %5 = mdh.lowlevel.recompose %4 combine #mdh.pw<add> level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [MM[]] : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %6 = mdh.lowlevel.recompose %5 combine #mdh.pw<add> level(2, 1) parts 4 tag #mdh.tag<MM, x> writes [MM[]] : !mdh.mda<8, f32> -> !mdh.mda<2, f32>
  %7 = mdh.lowlevel.recompose %6 combine #mdh.pw<add> level(1, 1) parts 2 tag #mdh.tag<COR, x> writes [L1[]] : !mdh.mda<2, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %7[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
