// Batched matrix product, C(b, i, j) = sum over k of A(b, i, k) * B(b, k, j) (MDH, Figure 16: bMatMul).
//
//   python3 examples/generate.py bmatmul
//   mdh run examples/bmatmul.mlir --function bmatmul \
//       --input data/bmatmul/A.npy \
//       --input data/bmatmul/B.npy \
//       --output data/bmatmul/C.npy --check
//   mdh-opt --lower-mdh examples/bmatmul.mlir

#A = affine_map<(b, i, j, k) -> (b, i, k)>
#B = affine_map<(b, i, j, k) -> (b, k, j)>
#out = affine_map<(b, i, j, k) -> (b, i, j)>

// The extents follow from the buffers.
func.func @bmatmul(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> !mdh.mda<?x?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?x?, f32, f32> -> !mdh.mda<?x?x?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x?x1, f32> -> tensor<?x?x?xf32>
  return %out : tensor<?x?x?xf32>
}

func.func @bmatmul_small(%A: tensor<3x5x11xf32>, %B: tensor<3x11x7xf32>) -> tensor<3x5x7xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<3x5x11xf32>, tensor<3x11x7xf32>) -> !mdh.mda<3x5x7x11, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<3x5x7x11, f32, f32> -> !mdh.mda<3x5x7x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<3x5x7x1, f32> -> tensor<3x5x7xf32>
  return %out : tensor<3x5x7xf32>
}

func.func @bmatmul_16x10x500x64(%A: tensor<16x10x64xf32>, %B: tensor<16x64x500xf32>) -> tensor<16x10x500xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<16x10x64xf32>, tensor<16x64x500xf32>) -> !mdh.mda<16x10x500x64, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<16x10x500x64, f32, f32> -> !mdh.mda<16x10x500x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16x10x500x1, f32> -> tensor<16x10x500xf32>
  return %out : tensor<16x10x500xf32>
}
