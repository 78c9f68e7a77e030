// Matrix product, C(i, j) = sum over k of A(i, k) * B(k, j) (MDH, Figure 16).
//
//   python3 examples/generate.py matmul
//   mdh run examples/matmul.mlir --function matmul \
//       --input data/matmul/A.npy \
//       --input data/matmul/B.npy \
//       --output data/matmul/C.npy --check
//   mdh-opt --lower-mdh examples/matmul.mlir

#A = affine_map<(i, j, k) -> (i, k)>
#B = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>

// The extents follow from the buffers.
func.func @matmul(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?, f32, f32> -> !mdh.mda<?x?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x1, f32> -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

func.func @matmul_small(%A: tensor<13x17xf32>, %B: tensor<17x11xf32>) -> tensor<13x11xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<13x17xf32>, tensor<17x11xf32>) -> !mdh.mda<13x11x17, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<13x11x17, f32, f32> -> !mdh.mda<13x11x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<13x11x1, f32> -> tensor<13x11xf32>
  return %out : tensor<13x11xf32>
}

func.func @matmul_64(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> !mdh.mda<64x64x64, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<64x64x64, f32, f32> -> !mdh.mda<64x64x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<64x64x1, f32> -> tensor<64x64xf32>
  return %out : tensor<64x64xf32>
}

func.func @matmul_1024(%A: tensor<1024x1024xf32>, %B: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> !mdh.mda<1024x1024x1024, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1024x1024x1024, f32, f32> -> !mdh.mda<1024x1024x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1024x1024x1, f32> -> tensor<1024x1024xf32>
  return %out : tensor<1024x1024xf32>
}

func.func @matmul_10x500x64(%A: tensor<10x64xf32>, %B: tensor<64x500xf32>) -> tensor<10x500xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<10x64xf32>, tensor<64x500xf32>) -> !mdh.mda<10x500x64, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<10x500x64, f32, f32> -> !mdh.mda<10x500x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<10x500x1, f32> -> tensor<10x500xf32>
  return %out : tensor<10x500xf32>
}

// The fully connected layers of ResNet-50 and VGG-16, for one image and for sixteen.
func.func @matmul_resnet50(%A: tensor<1x2048xf32>, %B: tensor<2048x1000xf32>) -> tensor<1x1000xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<1x2048xf32>, tensor<2048x1000xf32>) -> !mdh.mda<1x1000x2048, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x1000x2048, f32, f32> -> !mdh.mda<1x1000x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x1000x1, f32> -> tensor<1x1000xf32>
  return %out : tensor<1x1000xf32>
}

func.func @matmul_resnet50_batch16(%A: tensor<16x2048xf32>, %B: tensor<2048x1000xf32>) -> tensor<16x1000xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<16x2048xf32>, tensor<2048x1000xf32>) -> !mdh.mda<16x1000x2048, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<16x1000x2048, f32, f32> -> !mdh.mda<16x1000x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16x1000x1, f32> -> tensor<16x1000xf32>
  return %out : tensor<16x1000xf32>
}

func.func @matmul_vgg16(%A: tensor<1x25088xf32>, %B: tensor<25088x4096xf32>) -> tensor<1x4096xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<1x25088xf32>, tensor<25088x4096xf32>) -> !mdh.mda<1x4096x25088, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<1x4096x25088, f32, f32> -> !mdh.mda<1x4096x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x4096x1, f32> -> tensor<1x4096xf32>
  return %out : tensor<1x4096xf32>
}

func.func @matmul_vgg16_batch16(%A: tensor<16x25088xf32>, %B: tensor<25088x4096xf32>) -> tensor<16x4096xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<16x25088xf32>, tensor<25088x4096xf32>) -> !mdh.mda<16x4096x25088, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<16x4096x25088, f32, f32> -> !mdh.mda<16x4096x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16x4096x1, f32> -> tensor<16x4096xf32>
  return %out : tensor<16x4096xf32>
}
