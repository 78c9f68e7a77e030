// Matrix product of transposed matrices, C(j, i) = sum over k of A(k, i) * B(j, k) (MDH, Figure 16: MatMul^T).
// All three matrices are stored transposed: only the index functions differ from matmul.mlir.
//
//   python3 examples/generate.py matmul_transposed
//   mdh run examples/matmul_transposed.mlir --function matmul_transposed \
//       --input data/matmul_transposed/A.npy \
//       --input data/matmul_transposed/B.npy \
//       --output data/matmul_transposed/C.npy --check
//   mdh-opt --lower-mdh examples/matmul_transposed.mlir

#A = affine_map<(i, j, k) -> (k, i)>
#B = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (j, i)>

// The extents follow from the buffers.
func.func @matmul_transposed(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
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

func.func @matmul_transposed_small(%A: tensor<17x13xf32>, %B: tensor<11x17xf32>) -> tensor<11x13xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<17x13xf32>, tensor<11x17xf32>) -> !mdh.mda<13x11x17, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<13x11x17, f32, f32> -> !mdh.mda<13x11x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<13x11x1, f32> -> tensor<11x13xf32>
  return %out : tensor<11x13xf32>
}

func.func @matmul_transposed_10x500x64(%A: tensor<64x10xf32>, %B: tensor<500x64xf32>) -> tensor<500x10xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<64x10xf32>, tensor<500x64xf32>) -> !mdh.mda<10x500x64, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<10x500x64, f32, f32> -> !mdh.mda<10x500x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<10x500x1, f32> -> tensor<500x10xf32>
  return %out : tensor<500x10xf32>
}
