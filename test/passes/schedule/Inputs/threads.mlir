// A block of a device has at most 1024 threads.
mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.parallelize %i on CC
  // 64 x 48 threads.
  mdh.lowlevel.parallelize %k on CC
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}
