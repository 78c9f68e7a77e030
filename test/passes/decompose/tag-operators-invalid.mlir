// RUN: mdh-opt %s --mdh-tag-operators --split-input-file --verify-diagnostics

mdh.lowlevel.system @small memory [MM: global] cores []
func.func @without_schedule(%x: memref<8xf32>, %w: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @below {{requires a tag: run mdh-tag-operators on a partitioned schedule}}
  %d = mdh.lowlevel.decompose %in level(1, 1) parts 8 : !mdh.mda<8, f32>
  %s = mdh.lowlevel.scalar %d on @small order [[1]] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %r = mdh.lowlevel.recompose %s combine #mdh.cc level(1, 1) parts 8 : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, f32>, memref<8xf32>
  return
}
