// Histogram, Out(b) = the number of elements e that equal bin b (MDH, Figure 16: Histo).
//
//   python3 examples/generate.py histo
//   mdh run examples/histo.mlir --function histo \
//       --input data/histo/Elems.npy \
//       --input data/histo/Bins.npy \
//       --output data/histo/Out.npy --check
//   mdh-opt --lower-mdh examples/histo.mlir

#Elems = affine_map<(e, b) -> (e)>
#Bins = affine_map<(e, b) -> (b)>
#out = affine_map<(e, b) -> (b)>

// The extents follow from the buffers.
func.func @histo(%Elems: tensor<?xi32>, %Bins: tensor<?xi32>) -> tensor<?xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?x?, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %hit = arith.cmpi eq, %e, %b : i32
    %count = arith.extui %hit : i1 to i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<?x?, i32, i32> -> !mdh.mda<1x?, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x?, i32> -> tensor<?xi32>
  return %out : tensor<?xi32>
}

func.func @histo_small(%Elems: tensor<197xi32>, %Bins: tensor<13xi32>) -> tensor<13xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins] : (tensor<197xi32>, tensor<13xi32>) -> !mdh.mda<197x13, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %hit = arith.cmpi eq, %e, %b : i32
    %count = arith.extui %hit : i1 to i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<197x13, i32, i32> -> !mdh.mda<1x13, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x13, i32> -> tensor<13xi32>
  return %out : tensor<13xi32>
}

func.func @histo_1048576x256(%Elems: tensor<1048576xi32>, %Bins: tensor<256xi32>) -> tensor<256xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins]
      : (tensor<1048576xi32>, tensor<256xi32>) -> !mdh.mda<1048576x256, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %hit = arith.cmpi eq, %e, %b : i32
    %count = arith.extui %hit : i1 to i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<1048576x256, i32, i32> -> !mdh.mda<1x256, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x256, i32> -> tensor<256xi32>
  return %out : tensor<256xi32>
}
