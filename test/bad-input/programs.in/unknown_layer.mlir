func.func @matvec(%M: tensor<4x6xf32>, %v: tensor<6xf32>) -> tensor<4xf32> {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<4x6xf32>, tensor<6xf32>) -> !mdh.mda<4x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<GPU, x> : !mdh.mda<4x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 6 : !mdh.mda<4x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 1 : !mdh.mda<4x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 1 : !mdh.mda<4x6, f32, f32>
  %5 = mdh.lowlevel.scalar %4 on @two order [[1, 2], [3, 4]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4x6, f32, f32> -> !mdh.mda<4x6, f32>
  %6 = mdh.lowlevel.recompose %5 combine #mdh.pw<add> level(2, 2) parts 1 : !mdh.mda<4x6, f32> -> !mdh.mda<4x6, f32>
  %7 = mdh.lowlevel.recompose %6 combine #mdh.cc level(2, 1) parts 1 : !mdh.mda<4x6, f32> -> !mdh.mda<4x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(1, 2) parts 6 : !mdh.mda<4x6, f32> -> !mdh.mda<4x1, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4x1, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %9[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
mdh.lowlevel.system @two memory [MM: global] cores [COR: threads]
