// Multi-channel convolution, O(n, p, q, k) = sum over r, s, c of I(n, p + r, q + s, c) * F(k, r, s, c)
// (MDH, Figure 16: MCC). Layouts: NHWC, KRSC, NPQK; padding is part of the input.
//
//   python3 examples/generate.py mcc
//   mdh run examples/mcc.mlir --function mcc \
//       --input data/mcc/I.npy \
//       --input data/mcc/F.npy \
//       --output data/mcc/O.npy --check
//   mdh-opt --lower-mdh examples/mcc.mlir

#I = affine_map<(n, p, q, k, r, s, c) -> (n, p + r, q + s, c)>
#F = affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>
#out = affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>

// The extents of p and q are given, all others follow from the buffers.
func.func @mcc(%I: tensor<?x?x?x?xf32>, %F: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p_in = tensor.dim %I, %c1 : tensor<?x?x?x?xf32>
  %p_window = tensor.dim %F, %c1 : tensor<?x?x?x?xf32>
  %p_last = arith.subi %p_in, %p_window : index
  %p = arith.addi %p_last, %c1 : index
  %q_in = tensor.dim %I, %c2 : tensor<?x?x?x?xf32>
  %q_window = tensor.dim %F, %c2 : tensor<?x?x?x?xf32>
  %q_last = arith.subi %q_in, %q_window : index
  %q = arith.addi %q_last, %c1 : index
  %in = mdh.view.inp_view %I[#I], %F[#F] extents(%p, %q)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> !mdh.mda<?x?x?x?x?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?x?x?x?x?, f32, f32> -> !mdh.mda<?x?x?x?x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x?x?x1x1x1, f32> -> tensor<?x?x?x?xf32>
  return %out : tensor<?x?x?x?xf32>
}

func.func @mcc_small(%I: tensor<2x5x6x3xf32>, %F: tensor<3x3x2x3xf32>) -> tensor<2x3x5x3xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<2x5x6x3xf32>, tensor<3x3x2x3xf32>) -> !mdh.mda<2x3x5x3x3x2x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<2x3x5x3x3x2x3, f32, f32> -> !mdh.mda<2x3x5x3x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<2x3x5x3x1x1x1, f32> -> tensor<2x3x5x3xf32>
  return %out : tensor<2x3x5x3xf32>
}

func.func @mcc_512(%I: tensor<1x9x9x512xf32>, %F: tensor<512x3x3x512xf32>) -> tensor<1x7x7x512xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x9x9x512xf32>, tensor<512x3x3x512xf32>) -> !mdh.mda<1x7x7x512x3x3x512, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x7x7x512x3x3x512, f32, f32> -> !mdh.mda<1x7x7x512x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x7x7x512x1x1x1, f32> -> tensor<1x7x7x512xf32>
  return %out : tensor<1x7x7x512xf32>
}

// The first layer of VGG-16, for one image and for a batch of any size (16 in the experiments).
func.func @mcc_vgg16(%I: tensor<1x226x226x3xf32>, %F: tensor<64x3x3x3xf32>) -> tensor<1x224x224x64xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x226x226x3xf32>, tensor<64x3x3x3xf32>) -> !mdh.mda<1x224x224x64x3x3x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x224x224x64x3x3x3, f32, f32> -> !mdh.mda<1x224x224x64x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x224x224x64x1x1x1, f32> -> tensor<1x224x224x64xf32>
  return %out : tensor<1x224x224x64xf32>
}

func.func @mcc_vgg16_batch(%I: tensor<?x226x226x3xf32>, %F: tensor<64x3x3x3xf32>) -> tensor<?x224x224x64xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<?x226x226x3xf32>, tensor<64x3x3x3xf32>) -> !mdh.mda<?x224x224x64x3x3x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x224x224x64x3x3x3, f32, f32> -> !mdh.mda<?x224x224x64x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x224x224x64x1x1x1, f32> -> tensor<?x224x224x64xf32>
  return %out : tensor<?x224x224x64xf32>
}
