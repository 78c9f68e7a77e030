// 2D convolution, O(p, q) = sum over r, s of I(p + r, q + s) * F(r, s) (MDH, Figure 16: Conv2D).
// The generator writes the filter of the experiments: a 5x5 Gaussian.
//
//   python3 examples/generate.py conv2d
//   mdh run examples/conv2d.mlir --function conv2d \
//       --input data/conv2d/I.npy \
//       --input data/conv2d/F.npy \
//       --output data/conv2d/O.npy --check
//   mdh-opt --lower-mdh examples/conv2d.mlir

#I = affine_map<(p, q, r, s) -> (p + r, q + s)>
#F = affine_map<(p, q, r, s) -> (r, s)>
#out = affine_map<(p, q, r, s) -> (p, q)>

// The extents of p and q are given, all others follow from the buffers.
func.func @conv2d(%I: tensor<?x?xf32>, %F: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p_in = tensor.dim %I, %c0 : tensor<?x?xf32>
  %p_window = tensor.dim %F, %c0 : tensor<?x?xf32>
  %p_last = arith.subi %p_in, %p_window : index
  %p = arith.addi %p_last, %c1 : index
  %q_in = tensor.dim %I, %c1 : tensor<?x?xf32>
  %q_window = tensor.dim %F, %c1 : tensor<?x?xf32>
  %q_last = arith.subi %q_in, %q_window : index
  %q = arith.addi %q_last, %c1 : index
  %in = mdh.view.inp_view %I[#I], %F[#F] extents(%p, %q)
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?x?, f32, f32> -> !mdh.mda<?x?x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x1x1, f32> -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

func.func @conv2d_small(%I: tensor<15x17xf32>, %F: tensor<5x5xf32>) -> tensor<11x13xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<15x17xf32>, tensor<5x5xf32>) -> !mdh.mda<11x13x5x5, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<11x13x5x5, f32, f32> -> !mdh.mda<11x13x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<11x13x1x1, f32> -> tensor<11x13xf32>
  return %out : tensor<11x13xf32>
}

func.func @conv2d_224(%I: tensor<228x228xf32>, %F: tensor<5x5xf32>) -> tensor<224x224xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<228x228xf32>, tensor<5x5xf32>) -> !mdh.mda<224x224x5x5, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<224x224x5x5, f32, f32> -> !mdh.mda<224x224x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<224x224x1x1, f32> -> tensor<224x224xf32>
  return %out : tensor<224x224xf32>
}

func.func @conv2d_4096(%I: tensor<4100x4100xf32>, %F: tensor<5x5xf32>) -> tensor<4096x4096xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<4100x4100xf32>, tensor<5x5xf32>) -> !mdh.mda<4096x4096x5x5, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<4096x4096x5x5, f32, f32> -> !mdh.mda<4096x4096x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<4096x4096x1x1, f32> -> tensor<4096x4096xf32>
  return %out : tensor<4096x4096xf32>
}
