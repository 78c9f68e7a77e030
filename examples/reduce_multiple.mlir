// Two reductions in one pass over the data, the sum and the product of all elements (MDH, Figure 16: reduce(op1, op2)).
//
//   python3 examples/generate.py reduce_multiple
//   mdh run examples/reduce_multiple.mlir --function reduce_multiple \
//       --input data/reduce_multiple/I.npy \
//       --output data/reduce_multiple/O1.npy --output data/reduce_multiple/O2.npy --check
//   mdh-opt --lower-mdh examples/reduce_multiple.mlir

#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> ()>

// The extent follows from the buffer.
func.func @reduce_multiple(%I: tensor<?xf32>) -> (tensor<f32>, tensor<f32>) {
  %in = mdh.view.inp_view %I[#in] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<[add, mul]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32, f32>
  %out0, %out1 = mdh.view.out_view %res[#out], [#out] : !mdh.mda<1, f32, f32> -> tensor<f32>, tensor<f32>
  return %out0, %out1 : tensor<f32>, tensor<f32>
}

func.func @reduce_multiple_small(%I: tensor<53xf32>) -> (tensor<f32>, tensor<f32>) {
  %in = mdh.view.inp_view %I[#in] : (tensor<53xf32>) -> !mdh.mda<53, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<[add, mul]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<53, f32> -> !mdh.mda<1, f32, f32>
  %out0, %out1 = mdh.view.out_view %res[#out], [#out] : !mdh.mda<1, f32, f32> -> tensor<f32>, tensor<f32>
  return %out0, %out1 : tensor<f32>, tensor<f32>
}

func.func @reduce_multiple_16777216(%I: tensor<16777216xf32>) -> (tensor<f32>, tensor<f32>) {
  %in = mdh.view.inp_view %I[#in] : (tensor<16777216xf32>) -> !mdh.mda<16777216, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<[add, mul]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<16777216, f32> -> !mdh.mda<1, f32, f32>
  %out0, %out1 = mdh.view.out_view %res[#out], [#out] : !mdh.mda<1, f32, f32> -> tensor<f32>, tensor<f32>
  return %out0, %out1 : tensor<f32>, tensor<f32>
}
