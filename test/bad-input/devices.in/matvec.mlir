func.func @matvec(%M: tensor<64x4096xf32>, %v: tensor<4096xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x4096xf32>, tensor<4096xf32>) -> !mdh.mda<64x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x4096, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}
