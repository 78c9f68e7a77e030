// Multi-channel convolution of capsules: the scalars of mcc.mlir are small matrices,
// O(n, p, q, k, mi, mj) = sum over r, s, c, mk of I(n, p + r, q + s, c, mi, mk) * F(k, r, s, c, mk, mj)
// (MDH, Figure 16: MCC_Capsule). The first layers of ResNet-50 and MobileNet have stride 2.
//
//   python3 examples/generate.py mcc_capsule
//   mdh run examples/mcc_capsule.mlir --function mcc_capsule \
//       --input data/mcc_capsule/I.npy \
//       --input data/mcc_capsule/F.npy \
//       --output data/mcc_capsule/O.npy --check
//   mdh-opt --lower-mdh examples/mcc_capsule.mlir

#I = affine_map<(n, p, q, k, r, s, c, mi, mj, mk) -> (n, p + r, q + s, c, mi, mk)>
#I_strided = affine_map<(n, p, q, k, r, s, c, mi, mj, mk) -> (n, p * 2 + r, q * 2 + s, c, mi, mk)>
#F = affine_map<(n, p, q, k, r, s, c, mi, mj, mk) -> (k, r, s, c, mk, mj)>
#out = affine_map<(n, p, q, k, r, s, c, mi, mj, mk) -> (n, p, q, k, mi, mj)>

// The extents of p and q are given, all others follow from the buffers.
func.func @mcc_capsule(%I: tensor<?x?x?x?x?x?xf32>, %F: tensor<?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p_in = tensor.dim %I, %c1 : tensor<?x?x?x?x?x?xf32>
  %p_window = tensor.dim %F, %c1 : tensor<?x?x?x?x?x?xf32>
  %p_last = arith.subi %p_in, %p_window : index
  %p = arith.addi %p_last, %c1 : index
  %q_in = tensor.dim %I, %c2 : tensor<?x?x?x?x?x?xf32>
  %q_window = tensor.dim %F, %c2 : tensor<?x?x?x?x?x?xf32>
  %q_last = arith.subi %q_in, %q_window : index
  %q = arith.addi %q_last, %c1 : index
  %in = mdh.view.inp_view %I[#I], %F[#F] extents(%p, %q)
      : (tensor<?x?x?x?x?x?xf32>, tensor<?x?x?x?x?x?xf32>) -> !mdh.mda<?x?x?x?x?x?x?x?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?x?x?x?x?x?x?x?, f32, f32> -> !mdh.mda<?x?x?x?x1x1x1x?x?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x?x?x1x1x1x?x?x1, f32> -> tensor<?x?x?x?x?x?xf32>
  return %out : tensor<?x?x?x?x?x?xf32>
}

func.func @mcc_capsule_small(%I: tensor<1x3x5x2x2x2xf32>, %F: tensor<2x2x3x2x2x3xf32>) -> tensor<1x2x3x2x2x3xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x3x5x2x2x2xf32>, tensor<2x2x3x2x2x3xf32>) -> !mdh.mda<1x2x3x2x2x3x2x2x3x2, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x2x3x2x2x3x2x2x3x2, f32, f32> -> !mdh.mda<1x2x3x2x1x1x1x2x3x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x2x3x2x1x1x1x2x3x1, f32> -> tensor<1x2x3x2x2x3xf32>
  return %out : tensor<1x2x3x2x2x3xf32>
}

// The first layer of VGG-16, for one image and for a batch of any size (16 in the experiments).
func.func @mcc_capsule_vgg16(%I: tensor<1x226x226x3x4x4xf32>, %F: tensor<64x3x3x3x4x4xf32>) -> tensor<1x224x224x64x4x4xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<1x226x226x3x4x4xf32>, tensor<64x3x3x3x4x4xf32>) -> !mdh.mda<1x224x224x64x3x3x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x224x224x64x3x3x3x4x4x4, f32, f32> -> !mdh.mda<1x224x224x64x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x224x224x64x1x1x1x4x4x1, f32> -> tensor<1x224x224x64x4x4xf32>
  return %out : tensor<1x224x224x64x4x4xf32>
}

func.func @mcc_capsule_vgg16_batch(%I: tensor<?x226x226x3x4x4xf32>, %F: tensor<64x3x3x3x4x4xf32>) -> tensor<?x224x224x64x4x4xf32> {
  %in = mdh.view.inp_view %I[#I], %F[#F]
      : (tensor<?x226x226x3x4x4xf32>, tensor<64x3x3x3x4x4xf32>) -> !mdh.mda<?x224x224x64x3x3x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x224x224x64x3x3x3x4x4x4, f32, f32> -> !mdh.mda<?x224x224x64x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x224x224x64x1x1x1x4x4x1, f32> -> tensor<?x224x224x64x4x4xf32>
  return %out : tensor<?x224x224x64x4x4xf32>
}

// ResNet-50, likewise.
func.func @mcc_capsule_resnet50(%I: tensor<1x230x230x3x4x4xf32>, %F: tensor<64x7x7x3x4x4xf32>) -> tensor<1x112x112x64x4x4xf32> {
  %in = mdh.view.inp_view %I[#I_strided], %F[#F]
      : (tensor<1x230x230x3x4x4xf32>, tensor<64x7x7x3x4x4xf32>) -> !mdh.mda<1x112x112x64x7x7x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x112x112x64x7x7x3x4x4x4, f32, f32> -> !mdh.mda<1x112x112x64x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x112x112x64x1x1x1x4x4x1, f32> -> tensor<1x112x112x64x4x4xf32>
  return %out : tensor<1x112x112x64x4x4xf32>
}

func.func @mcc_capsule_resnet50_batch(%I: tensor<?x230x230x3x4x4xf32>, %F: tensor<64x7x7x3x4x4xf32>) -> tensor<?x112x112x64x4x4xf32> {
  %in = mdh.view.inp_view %I[#I_strided], %F[#F]
      : (tensor<?x230x230x3x4x4xf32>, tensor<64x7x7x3x4x4xf32>) -> !mdh.mda<?x112x112x64x7x7x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x112x112x64x7x7x3x4x4x4, f32, f32> -> !mdh.mda<?x112x112x64x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x112x112x64x1x1x1x4x4x1, f32> -> tensor<?x112x112x64x4x4xf32>
  return %out : tensor<?x112x112x64x4x4xf32>
}

// MobileNet, likewise.
func.func @mcc_capsule_mobilenet(%I: tensor<1x225x225x3x4x4xf32>, %F: tensor<32x3x3x3x4x4xf32>) -> tensor<1x112x112x32x4x4xf32> {
  %in = mdh.view.inp_view %I[#I_strided], %F[#F]
      : (tensor<1x225x225x3x4x4xf32>, tensor<32x3x3x3x4x4xf32>) -> !mdh.mda<1x112x112x32x3x3x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x112x112x32x3x3x3x4x4x4, f32, f32> -> !mdh.mda<1x112x112x32x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x112x112x32x1x1x1x4x4x1, f32> -> tensor<1x112x112x32x4x4xf32>
  return %out : tensor<1x112x112x32x4x4xf32>
}

func.func @mcc_capsule_mobilenet_batch(%I: tensor<?x225x225x3x4x4xf32>, %F: tensor<32x3x3x3x4x4xf32>) -> tensor<?x112x112x32x4x4xf32> {
  %in = mdh.view.inp_view %I[#I_strided], %F[#F]
      : (tensor<?x225x225x3x4x4xf32>, tensor<32x3x3x3x4x4xf32>) -> !mdh.mda<?x112x112x32x3x3x3x4x4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [
      #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>, #mdh.pw<add>, #mdh.cc, #mdh.cc, #mdh.pw<add>
  ] {
  ^bb0(%i: f32, %f: f32):
    %product = arith.mulf %i, %f : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x112x112x32x3x3x3x4x4x4, f32, f32> -> !mdh.mda<?x112x112x32x1x1x1x4x4x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x112x112x32x1x1x1x4x4x1, f32> -> tensor<?x112x112x32x4x4xf32>
  return %out : tensor<?x112x112x32x4x4xf32>
}
