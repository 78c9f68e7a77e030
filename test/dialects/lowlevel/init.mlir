// Initial values of the scalar phase.
// RUN: mdh-opt %s --split-input-file --verify-diagnostics

mdh.lowlevel.system @simple memory [MM: global] cores []
func.func @c37(%a: memref<4x5xf32>, %s: f64) -> memref<4xf32> {
  %in = mdh.view.inp_view %a[affine_map<(i, k) -> (i, k)>] : (memref<4x5xf32>) -> !mdh.mda<4x5, f32>
  %0 = mdh.lowlevel.decompose %in level(1, 1) parts 4 : !mdh.mda<4x5, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 2) parts 5 : !mdh.mda<4x5, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op C37: requires initial value 1 to have type 'f32' or '!mdh.mda<4x1, f32>', but it has 'f64'}}
  %2 = mdh.lowlevel.scalar %1 init(%s : f64) on @simple order [[1, 2]] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  %3 = mdh.lowlevel.recompose %2 combine #mdh.pw<add> level(1, 2) parts 5 : !mdh.mda<4x5, f32> -> !mdh.mda<4x1, f32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4x1, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %4[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> memref<4xf32>
  return %w : memref<4xf32>
}
