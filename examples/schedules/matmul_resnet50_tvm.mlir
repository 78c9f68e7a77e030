// TVM's schedule of a MatMul of ResNet-50 (16x1000x2048) on CUDA, as its search engine Ansor has found it. The numbers of
// parts, the regions and the layouts are published; the result is matmul_resnet50_tvm.json.
//
//   mdh run examples/schedules/matmul_resnet50_tvm.mlir --input A.npy --input B.npy --check
mdh.lowlevel.schedule @matmul on @cuda {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i_block, %i_thread, %i_part = mdh.lowlevel.tile %i by [4, 2]
  %j_block, %j_thread = mdh.lowlevel.tile %j by [20]
  %k_copy, %k_part, %k_register = mdh.lowlevel.tile %k by [128, 2]
  mdh.lowlevel.interchange %i_block, %j_block, %k_copy, %i_thread, %j_thread, %i_part, %k_part, %k_register
  mdh.lowlevel.parallelize %i_block on SMX
  mdh.lowlevel.parallelize %j_block on SMX
  mdh.lowlevel.parallelize %i_thread on CC
  mdh.lowlevel.parallelize %j_thread on CC
  mdh.lowlevel.unroll %k_register
  mdh.lowlevel.cache input 1 in SM at %i_part
  mdh.lowlevel.cache input 2 in SM at %i_part
  mdh.lowlevel.combine_in output 1 RM at %i_thread
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
