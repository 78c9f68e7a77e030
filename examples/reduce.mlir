// Reduction, O = I(0) + I(1) + … (MDH, Figure 16: reduce(op)).
//
//   python3 examples/generate.py reduce
//   mdh run examples/reduce.mlir --function reduce \
//       --input data/reduce/I.npy \
//       --output data/reduce/O.npy --check
//   mdh-opt --lower-mdh examples/reduce.mlir

#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> ()>

// The extent follows from the buffer.
func.func @reduce(%I: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @reduce_small(%I: tensor<101xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<101xf32>) -> !mdh.mda<101, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<101, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @reduce_16777216(%I: tensor<16777216xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<16777216xf32>) -> !mdh.mda<16777216, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<16777216, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}
