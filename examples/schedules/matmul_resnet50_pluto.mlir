// The schedule of the polyhedral compiler Pluto for a MatMul of ResNet-50 (16x1000x2048) with OpenMP: tiles of all
// dimensions, threads for the outermost loop over tiles, and in a tile the order i, k, j, because j is contiguous. The
// paper's tile sizes (Figure 23, tuned by ATF) are not in its text: these are Pluto's default of 32 points, and 4 rows,
// so that there are several tiles of the 16 rows. Tiles are meant to be in the L2 cache.
//
//   mdh run examples/schedules/matmul_resnet50_pluto.mlir --input A.npy --input B.npy --check
mdh.lowlevel.schedule @matmul on @openmp {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i_tile, %i_point = mdh.lowlevel.tile %i by [4]
  %j_tile, %j_point = mdh.lowlevel.tile %j by [32]
  %k_tile, %k_point = mdh.lowlevel.tile %k by [32]
  mdh.lowlevel.interchange %i_tile, %j_tile, %k_tile, %i_point, %k_point, %j_point
  mdh.lowlevel.parallelize %i_tile on COR
  mdh.lowlevel.sequentialize %j_tile on L2
  mdh.lowlevel.sequentialize %k_tile on L2
}

func.func @matmul(%A: tensor<16x2048xf32>, %B: tensor<2048x1000xf32>) -> tensor<16x1000xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<16x2048xf32>, tensor<2048x1000xf32>) -> !mdh.mda<16x1000x2048, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x1000x2048, f32, f32> -> !mdh.mda<16x1000x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<16x1000x1, f32> -> tensor<16x1000xf32>
  return %c : tensor<16x1000xf32>
}
