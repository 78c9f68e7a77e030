// The paper's Figure 17: MatVec, 512x4096, on a system with the memory layers HM, L1 and the core layer COR. The result is
// matvec_figure17.json.
//
//   mdh run examples/schedules/matvec_figure17.mlir --input M.npy --input v.npy --check
mdh.lowlevel.schedule @matvec on @artificial {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2, %i3 = mdh.lowlevel.tile %i by [8, 32]
  %k1, %k2, %k3 = mdh.lowlevel.tile %k by [16, 64]
  mdh.lowlevel.interchange %i1, %k1, %i2, %k2, %i3, %k3
  mdh.lowlevel.parallelize %i2 on COR
  mdh.lowlevel.parallelize %k2 on COR
  mdh.lowlevel.cache input 2 in L1 at %i3
  mdh.lowlevel.combine_in output 1 L1 at %i3
}

func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %w : tensor<512xf32>
}
