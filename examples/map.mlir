// A function applied to every element, O(i) = f(I(i)) (MDH, Figure 16: map(f)).
//
//   python3 examples/generate.py map
//   mdh run examples/map.mlir --function map \
//       --input data/map/I.npy \
//       --output data/map/O.npy --check
//   mdh-opt --lower-mdh examples/map.mlir

#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> (i)>

// A piecewise polynomial.
func.func private @f(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %square = arith.mulf %x, %x : f32
  %halved = arith.mulf %x, %half : f32
  %negative = arith.cmpf olt, %x, %zero : f32
  %result = scf.if %negative -> (f32) {
    scf.yield %halved : f32
  } else {
    scf.yield %square : f32
  }
  return %result : f32
}

// The extent follows from the buffer.
func.func @map(%I: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: f32):
    %y = func.call @f(%x) : (f32) -> f32
    mdh.hom.yield %y : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %out : tensor<?xf32>
}

func.func @map_small(%I: tensor<101xf32>) -> tensor<101xf32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<101xf32>) -> !mdh.mda<101, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: f32):
    %y = func.call @f(%x) : (f32) -> f32
    mdh.hom.yield %y : f32
  } : !mdh.mda<101, f32> -> !mdh.mda<101, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<101, f32> -> tensor<101xf32>
  return %out : tensor<101xf32>
}

func.func @map_16777216(%I: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %in = mdh.view.inp_view %I[#in] : (tensor<16777216xf32>) -> !mdh.mda<16777216, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: f32):
    %y = func.call @f(%x) : (f32) -> f32
    mdh.hom.yield %y : f32
  } : !mdh.mda<16777216, f32> -> !mdh.mda<16777216, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16777216, f32> -> tensor<16777216xf32>
  return %out : tensor<16777216xf32>
}
