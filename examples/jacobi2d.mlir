// 5-point stencil: the mean of a point and its four neighbors (MDH, Figure 16: Jacobi2D).
//
//   python3 examples/generate.py jacobi2d
//   mdh run examples/jacobi2d.mlir --function jacobi2d_small \
//       --input data/jacobi2d/x.npy \
//       --output data/jacobi2d/y.npy --check
//   mdh-opt --lower-mdh examples/jacobi2d.mlir

#north = affine_map<(i, j) -> (i, j + 1)>
#west = affine_map<(i, j) -> (i + 1, j)>
#centre = affine_map<(i, j) -> (i + 1, j + 1)>
#east = affine_map<(i, j) -> (i + 1, j + 2)>
#south = affine_map<(i, j) -> (i + 2, j + 1)>
#out = affine_map<(i, j) -> (i, j)>

func.func @jacobi2d_small(%x: tensor<15x19xf32>) -> tensor<13x17xf32> {
  %in = mdh.view.inp_view %x[#north, #west, #centre, #east, #south]
      : (tensor<15x19xf32>) -> !mdh.mda<13x17, f32, f32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%north: f32, %west: f32, %centre: f32, %east: f32, %south: f32):
    %sum1 = arith.addf %north, %west : f32
    %sum2 = arith.addf %sum1, %centre : f32
    %sum3 = arith.addf %sum2, %east : f32
    %sum = arith.addf %sum3, %south : f32
    %five = arith.constant 5.0 : f32
    %result = arith.divf %sum, %five : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<13x17, f32, f32, f32, f32, f32> -> !mdh.mda<13x17, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<13x17, f32> -> tensor<13x17xf32>
  return %out : tensor<13x17xf32>
}

func.func @jacobi2d_4096(%x: tensor<4098x4098xf32>) -> tensor<4096x4096xf32> {
  %in = mdh.view.inp_view %x[#north, #west, #centre, #east, #south]
      : (tensor<4098x4098xf32>) -> !mdh.mda<4096x4096, f32, f32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%north: f32, %west: f32, %centre: f32, %east: f32, %south: f32):
    %sum1 = arith.addf %north, %west : f32
    %sum2 = arith.addf %sum1, %centre : f32
    %sum3 = arith.addf %sum2, %east : f32
    %sum = arith.addf %sum3, %south : f32
    %five = arith.constant 5.0 : f32
    %result = arith.divf %sum, %five : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<4096x4096, f32, f32, f32, f32, f32> -> !mdh.mda<4096x4096, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<4096x4096, f32> -> tensor<4096x4096xf32>
  return %out : tensor<4096x4096xf32>
}
