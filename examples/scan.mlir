// Prefix sum, Out(i) = A(0) + … + A(i) (MDH, Figure 16: scan(op)).
//
//   python3 examples/generate.py scan
//   mdh run examples/scan.mlir --function scan \
//       --input data/scan/A.npy \
//       --output data/scan/Out.npy --check
//   mdh-opt --lower-mdh examples/scan.mlir

#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> (i)>

// The extent follows from the buffer.
func.func @scan(%A: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %out : tensor<?xf32>
}

func.func @scan_small(%A: tensor<101xf32>) -> tensor<101xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<101xf32>) -> !mdh.mda<101, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<101, f32> -> !mdh.mda<101, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<101, f32> -> tensor<101xf32>
  return %out : tensor<101xf32>
}

func.func @scan_16777216(%A: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %in = mdh.view.inp_view %A[#in] : (tensor<16777216xf32>) -> !mdh.mda<16777216, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<16777216, f32> -> !mdh.mda<16777216, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16777216, f32> -> tensor<16777216xf32>
  return %out : tensor<16777216xf32>
}
