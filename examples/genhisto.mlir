// Generalized histogram with a user-defined scalar function and combine operator (MDH, Figure 16: GenHisto):
// elements near a bin contribute with a weight, and the counters saturate.
//
//   python3 examples/generate.py genhisto
//   mdh run examples/genhisto.mlir --function genhisto \
//       --input data/genhisto/Elems.npy \
//       --input data/genhisto/Bins.npy \
//       --output data/genhisto/Out.npy --check
//   mdh-opt --lower-mdh examples/genhisto.mlir

#Elems = affine_map<(e, b) -> (e)>
#Bins = affine_map<(e, b) -> (b)>
#out = affine_map<(e, b) -> (b)>

// Weight 3 for a hit, 1 for a neighboring bin.
func.func private @weight(%e: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %difference = arith.subi %e, %b : i32
  %distance = math.absi %difference : i32
  %hit = arith.cmpi eq, %distance, %zero : i32
  %near = arith.cmpi eq, %distance, %one : i32
  %weight = arith.select %near, %one, %zero : i32
  %result = arith.select %hit, %three, %weight : i32
  return %result : i32
}

// Saturating sum of two counts, at most 127.
mdh.hom.operator @saturating_add commutative (%x: i32, %y: i32) -> (i32) {
  %largest = arith.constant 127 : i32
  %sum = arith.addi %x, %y : i32
  %result = arith.minsi %sum, %largest : i32
  mdh.hom.yield %result : i32
} identity {
  %zero = arith.constant 0 : i32
  mdh.hom.yield %zero : i32
}

// The extents follow from the buffers.
func.func @genhisto(%Elems: tensor<?xi32>, %Bins: tensor<?xi32>) -> tensor<?xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?x?, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@saturating_add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %count = func.call @weight(%e, %b) : (i32, i32) -> i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<?x?, i32, i32> -> !mdh.mda<1x?, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x?, i32> -> tensor<?xi32>
  return %out : tensor<?xi32>
}

func.func @genhisto_small(%Elems: tensor<197xi32>, %Bins: tensor<13xi32>) -> tensor<13xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins] : (tensor<197xi32>, tensor<13xi32>) -> !mdh.mda<197x13, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@saturating_add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %count = func.call @weight(%e, %b) : (i32, i32) -> i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<197x13, i32, i32> -> !mdh.mda<1x13, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x13, i32> -> tensor<13xi32>
  return %out : tensor<13xi32>
}

func.func @genhisto_1048576x256(%Elems: tensor<1048576xi32>, %Bins: tensor<256xi32>) -> tensor<256xi32> {
  %in = mdh.view.inp_view %Elems[#Elems], %Bins[#Bins]
      : (tensor<1048576xi32>, tensor<256xi32>) -> !mdh.mda<1048576x256, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@saturating_add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %count = func.call @weight(%e, %b) : (i32, i32) -> i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<1048576x256, i32, i32> -> !mdh.mda<1x256, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1x256, i32> -> tensor<256xi32>
  return %out : tensor<256xi32>
}
