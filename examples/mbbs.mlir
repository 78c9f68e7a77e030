// Sums of the boxes that end at row i, Out(i) = sum over all i' <= i and all j of A(i', j) (MDH, Figure 16: MBBS,
// maximum bottom box sum, which is the maximum of these sums).
//
//   python3 examples/generate.py mbbs
//   mdh run examples/mbbs.mlir --function mbbs \
//       --input data/mbbs/A.npy \
//       --output data/mbbs/Out.npy --check
//   mdh-opt --lower-mdh examples/mbbs.mlir

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>

// The extents follow from the buffer.
func.func @mbbs(%A: tensor<?x?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %out : tensor<?xf32>
}

func.func @mbbs_small(%A: tensor<19x23xf32>) -> tensor<19xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<19x23xf32>) -> !mdh.mda<19x23, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<19x23, f32> -> !mdh.mda<19x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<19x1, f32> -> tensor<19xf32>
  return %out : tensor<19xf32>
}

func.func @mbbs_4096(%A: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<4096x4096xf32>) -> !mdh.mda<4096x4096, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4096x4096, f32> -> !mdh.mda<4096x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
  return %out : tensor<4096xf32>
}
