// Tensor contraction 4 of 9 of CCSD(T), C(a, b, c, d, e, f) = sum over g of A(g, e, a, b) * B(d, f, g, c)
// (MDH, Figure 16).
//
//   python3 examples/generate.py ccsdt_geab_dfgc
//   mdh run examples/ccsdt_geab_dfgc.mlir --function ccsdt_geab_dfgc \
//       --input data/ccsdt_geab_dfgc/A.npy \
//       --input data/ccsdt_geab_dfgc/B.npy \
//       --output data/ccsdt_geab_dfgc/C.npy --check
//   mdh-opt --lower-mdh examples/ccsdt_geab_dfgc.mlir

#A = affine_map<(a, b, c, d, e, f, g) -> (g, e, a, b)>
#B = affine_map<(a, b, c, d, e, f, g) -> (d, f, g, c)>
#out = affine_map<(a, b, c, d, e, f, g) -> (a, b, c, d, e, f)>

// The extents follow from the buffers.
func.func @ccsdt_geab_dfgc(%A: tensor<?x?x?x?xf32>, %B: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?x?x?xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> !mdh.mda<?x?x?x?x?x?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?x?x?x?x?x?, f32, f32> -> !mdh.mda<?x?x?x?x?x?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?x?x?x?x?x1, f32> -> tensor<?x?x?x?x?x?xf32>
  return %out : tensor<?x?x?x?x?x?xf32>
}

func.func @ccsdt_geab_dfgc_small(%A: tensor<5x2x2x3xf32>, %B: tensor<3x3x5x2xf32>) -> tensor<2x3x2x3x2x3xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<5x2x2x3xf32>, tensor<3x3x5x2xf32>) -> !mdh.mda<2x3x2x3x2x3x5, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<2x3x2x3x2x3x5, f32, f32> -> !mdh.mda<2x3x2x3x2x3x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<2x3x2x3x2x3x1, f32> -> tensor<2x3x2x3x2x3xf32>
  return %out : tensor<2x3x2x3x2x3xf32>
}

// The experiments' sizes: single and double precision.
func.func @ccsdt_geab_dfgc_real(%A: tensor<24x20x24x20xf32>, %B: tensor<24x20x24x20xf32>) -> tensor<24x20x20x24x20x20xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<24x20x24x20xf32>, tensor<24x20x24x20xf32>) -> !mdh.mda<24x20x20x24x20x20x24, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<24x20x20x24x20x20x24, f32, f32> -> !mdh.mda<24x20x20x24x20x20x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<24x20x20x24x20x20x1, f32> -> tensor<24x20x20x24x20x20xf32>
  return %out : tensor<24x20x20x24x20x20xf32>
}

func.func @ccsdt_geab_dfgc_real_f64(%A: tensor<24x16x24x16xf64>, %B: tensor<24x16x24x16xf64>) -> tensor<24x16x16x24x16x16xf64> {
  %in = mdh.view.inp_view %A[#A], %B[#B]
      : (tensor<24x16x24x16xf64>, tensor<24x16x24x16xf64>) -> !mdh.mda<24x16x16x24x16x16x24, f64, f64>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f64, %b: f64):
    %product = arith.mulf %a, %b : f64
    mdh.hom.yield %product : f64
  } : !mdh.mda<24x16x16x24x16x16x24, f64, f64> -> !mdh.mda<24x16x16x24x16x16x1, f64>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<24x16x16x24x16x16x1, f64> -> tensor<24x16x16x24x16x16xf64>
  return %out : tensor<24x16x16x24x16x16xf64>
}
