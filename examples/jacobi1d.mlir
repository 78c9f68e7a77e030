// 3-point stencil, y(i) = (x(i) + x(i + 1) + x(i + 2)) / 3 (MDH, Figure 16: Jacobi1D).
//
//   python3 examples/generate.py jacobi1d
//   mdh run examples/jacobi1d.mlir --function jacobi1d_small \
//       --input data/jacobi1d/x.npy \
//       --output data/jacobi1d/y.npy --check
//   mdh-opt --lower-mdh examples/jacobi1d.mlir

#x0 = affine_map<(i) -> (i)>
#x1 = affine_map<(i) -> (i + 1)>
#x2 = affine_map<(i) -> (i + 2)>
#out = affine_map<(i) -> (i)>

func.func @jacobi1d_small(%x: tensor<64xf32>) -> tensor<62xf32> {
  %in = mdh.view.inp_view %x[#x0, #x1, #x2]
      : (tensor<64xf32>) -> !mdh.mda<62, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x0: f32, %x1: f32, %x2: f32):
    %sum01 = arith.addf %x0, %x1 : f32
    %sum = arith.addf %sum01, %x2 : f32
    %three = arith.constant 3.0 : f32
    %result = arith.divf %sum, %three : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<62, f32, f32, f32> -> !mdh.mda<62, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<62, f32> -> tensor<62xf32>
  return %out : tensor<62xf32>
}

func.func @jacobi1d_16777214(%x: tensor<16777216xf32>) -> tensor<16777214xf32> {
  %in = mdh.view.inp_view %x[#x0, #x1, #x2]
      : (tensor<16777216xf32>) -> !mdh.mda<16777214, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x0: f32, %x1: f32, %x2: f32):
    %sum01 = arith.addf %x0, %x1 : f32
    %sum = arith.addf %sum01, %x2 : f32
    %three = arith.constant 3.0 : f32
    %result = arith.divf %sum, %three : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<16777214, f32, f32, f32> -> !mdh.mda<16777214, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16777214, f32> -> tensor<16777214xf32>
  return %out : tensor<16777214xf32>
}
