// The program that docs/pipeline.md and docs/commands.md follow: MatVec, w(i) = sum over k of M(i, k) * v(k).

func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %w : tensor<512xf32>
}
