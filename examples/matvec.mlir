// Matrix-vector product, w(i) = sum over k of M(i, k) * v(k) (MDH, Figures 1 and 16).
//
//   python3 examples/generate.py matvec
//   mdh run examples/matvec.mlir --function matvec \
//       --input data/matvec/M.npy \
//       --input data/matvec/v.npy \
//       --output data/matvec/w.npy --check
//   mdh-opt --lower-mdh examples/matvec.mlir

#M = affine_map<(i, k) -> (i, k)>
#v = affine_map<(i, k) -> (k)>
#out = affine_map<(i, k) -> (i)>

// The extents follow from the buffers.
func.func @matvec(%M: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %M[#M], %v[#v]
      : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %out : tensor<?xf32>
}

func.func @matvec_small(%M: tensor<19x23xf32>, %v: tensor<23xf32>) -> tensor<19xf32> {
  %in = mdh.view.inp_view %M[#M], %v[#v]
      : (tensor<19x23xf32>, tensor<23xf32>) -> !mdh.mda<19x23, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<19x23, f32, f32> -> !mdh.mda<19x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<19x1, f32> -> tensor<19xf32>
  return %out : tensor<19xf32>
}

// The size of the paper's Figure 17.
func.func @matvec_512x4096(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  %in = mdh.view.inp_view %M[#M], %v[#v]
      : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %out : tensor<512xf32>
}

func.func @matvec_4096(%M: tensor<4096x4096xf32>, %v: tensor<4096xf32>) -> tensor<4096xf32> {
  %in = mdh.view.inp_view %M[#M], %v[#v]
      : (tensor<4096x4096xf32>, tensor<4096xf32>) -> !mdh.mda<4096x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<4096x4096, f32, f32> -> !mdh.mda<4096x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
  return %out : tensor<4096xf32>
}

func.func @matvec_8192(%M: tensor<8192x8192xf32>, %v: tensor<8192xf32>) -> tensor<8192xf32> {
  %in = mdh.view.inp_view %M[#M], %v[#v]
      : (tensor<8192x8192xf32>, tensor<8192xf32>) -> !mdh.mda<8192x8192, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<8192x8192, f32, f32> -> !mdh.mda<8192x1, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<8192x1, f32> -> tensor<8192xf32>
  return %out : tensor<8192xf32>
}
