// Dot product, C = sum over k of A(k) * B(k) (MDH, Figure 16).
//
//   python3 examples/generate.py dot
//   mdh run examples/dot.mlir --function dot \
//       --input data/dot/A.npy \
//       --input data/dot/B.npy \
//       --output data/dot/C.npy --check
//   mdh-opt --lower-mdh examples/dot.mlir

#in = affine_map<(k) -> (k)>
#out = affine_map<(k) -> ()>

// The extents follow from the buffers.
func.func @dot(%A: tensor<?xf32>, %B: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %A[#in], %B[#in]
      : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?, f32, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @dot_small(%A: tensor<101xf32>, %B: tensor<101xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %A[#in], %B[#in]
      : (tensor<101xf32>, tensor<101xf32>) -> !mdh.mda<101, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<101, f32, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @dot_16777216(%A: tensor<16777216xf32>, %B: tensor<16777216xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %A[#in], %B[#in]
      : (tensor<16777216xf32>, tensor<16777216xf32>) -> !mdh.mda<16777216, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<16777216, f32, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @dot_10000000(%A: tensor<10000000xf32>, %B: tensor<10000000xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %A[#in], %B[#in]
      : (tensor<10000000xf32>, tensor<10000000xf32>) -> !mdh.mda<10000000, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<10000000, f32, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}
