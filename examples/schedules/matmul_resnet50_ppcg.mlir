// The schedule of the polyhedral compiler PPCG for a MatMul of ResNet-50 (16x1000x2048) on CUDA: tiles of all dimensions,
// blocks and threads for the two outer dimensions, copies of the tiles of both inputs in shared memory, and results in
// registers. The paper's tile sizes (Figure 21, tuned by ATF) are not in its text: these are PPCG's defaults, tiles of 32
// points and blocks of 16x32 threads.
//
//   mdh run examples/schedules/matmul_resnet50_ppcg.mlir --input A.npy --input B.npy --check
mdh.lowlevel.schedule @matmul on @cuda {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i_tile, %i_point = mdh.lowlevel.tile %i by [16]
  %j_tile, %j_point = mdh.lowlevel.tile %j by [32]
  %k_tile, %k_point = mdh.lowlevel.tile %k by [32]
  mdh.lowlevel.interchange %i_tile, %j_tile, %i_point, %j_point, %k_tile, %k_point
  mdh.lowlevel.parallelize %i_tile on SMX
  mdh.lowlevel.parallelize %j_tile on SMX
  mdh.lowlevel.parallelize %i_point on CC
  mdh.lowlevel.parallelize %j_point on CC
  mdh.lowlevel.cache input 1 in SM at %k_point
  mdh.lowlevel.cache input 2 in SM at %k_point
  mdh.lowlevel.combine_in output 1 RM at %k_tile
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
