// Multi-channel convolution with stride 2, O(n, p, q, k) = sum over r, s, c of I(n, 2p + r, 2q + s, c) * F(k, r, s, c)
// (MDH, Figure 16: MCC strided). Layouts: NHWC, KRSC, NPQK; padding is part of the input.
//
//   python3 examples/generate.py mcc_strided
//   mdh run examples/mcc_strided.mlir --function mcc_strided \
//       --input data/mcc_strided/I.npy \
//       --input data/mcc_strided/F.npy \
//       --output data/mcc_strided/O.npy --check
//   mdh-opt --lower-mdh examples/mcc_strided.mlir

#I = affine_map<(n, p, q, k, r, s, c) -> (n, p * 2 + r, q * 2 + s, c)>
#F = affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>
#out = affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>

// The extents of p and q are given, all others follow from the buffers.
func.func @mcc_strided(%I: tensor<?x?x?x?xf32>, %F: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p_in = tensor.dim %I, %c1 : tensor<?x?x?x?xf32>
  %p_window = tensor.dim %F, %c1 : tensor<?x?x?x?xf32>
  %p_last = arith.subi %p_in, %p_window : index
  %p_steps = arith.divui %p_last, %c2 : index
  %p = arith.addi %p_steps, %c1 : index
  %q_in = tensor.dim %I, %c2 : tensor<?x?x?x?xf32>
  %q_window = tensor.dim %F, %c2 : tensor<?x?x?x?xf32>
  %q_last = arith.subi %q_in, %q_window : index
  %q_steps = arith.divui %q_last, %c2 : index
  %q = arith.addi %q_steps, %c1 : index
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

func.func @mcc_strided_small(%I: tensor<2x7x8x3xf32>, %F: tensor<3x3x2x3xf32>) -> tensor<2x3x4x3xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<2x7x8x3xf32>, tensor<3x3x2x3xf32>) -> !mdh.mda<2x3x4x3x3x2x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<2x3x4x3x3x2x3, f32, f32> -> !mdh.mda<2x3x4x3x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<2x3x4x3x1x1x1, f32> -> tensor<2x3x4x3xf32>
  return %out : tensor<2x3x4x3xf32>
}

// The first layer of ResNet-50, for one image and for a batch of any size (16 in the experiments).
func.func @mcc_strided_resnet50(%I: tensor<1x230x230x3xf32>, %F: tensor<64x7x7x3xf32>) -> tensor<1x112x112x64xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x230x230x3xf32>, tensor<64x7x7x3xf32>) -> !mdh.mda<1x112x112x64x7x7x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x112x112x64x7x7x3, f32, f32> -> !mdh.mda<1x112x112x64x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x112x112x64x1x1x1, f32> -> tensor<1x112x112x64xf32>
  return %out : tensor<1x112x112x64xf32>
}

func.func @mcc_strided_resnet50_batch(%I: tensor<?x230x230x3xf32>, %F: tensor<64x7x7x3xf32>) -> tensor<?x112x112x64xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<?x230x230x3xf32>, tensor<64x7x7x3xf32>) -> !mdh.mda<?x112x112x64x7x7x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x112x112x64x7x7x3, f32, f32> -> !mdh.mda<?x112x112x64x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x112x112x64x1x1x1, f32> -> tensor<?x112x112x64xf32>
  return %out : tensor<?x112x112x64xf32>
}

// The first layer of MobileNet, likewise.
func.func @mcc_strided_mobilenet(%I: tensor<1x225x225x3xf32>, %F: tensor<32x3x3x3xf32>) -> tensor<1x112x112x32xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x225x225x3xf32>, tensor<32x3x3x3xf32>) -> !mdh.mda<1x112x112x32x3x3x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x112x112x32x3x3x3, f32, f32> -> !mdh.mda<1x112x112x32x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x112x112x32x1x1x1, f32> -> tensor<1x112x112x32xf32>
  return %out : tensor<1x112x112x32xf32>
}

func.func @mcc_strided_mobilenet_batch(%I: tensor<?x225x225x3xf32>, %F: tensor<32x3x3x3xf32>) -> tensor<?x112x112x32xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<?x225x225x3xf32>, tensor<32x3x3x3xf32>) -> !mdh.mda<?x112x112x32x3x3x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x112x112x32x3x3x3, f32, f32> -> !mdh.mda<?x112x112x32x1x1x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x112x112x32x1x1x1, f32> -> tensor<?x112x112x32xf32>
  return %out : tensor<?x112x112x32xf32>
}
