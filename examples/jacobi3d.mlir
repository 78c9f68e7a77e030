// 7-point stencil, 0.161 E + 0.162 W + 0.163 S + 0.164 N + 0.165 B + 0.166 F - 1.67 C (MDH, Figure 16: Jacobi3D;
// the benchmark j3d7pt). The sizes of the experiments are 256^3 and 512^3.
//
//   python3 examples/generate.py jacobi3d
//   mdh run examples/jacobi3d.mlir --function jacobi3d_small \
//       --input data/jacobi3d/x.npy \
//       --output data/jacobi3d/y.npy --check
//   mdh-opt --lower-mdh examples/jacobi3d.mlir

#north = affine_map<(i, j, k) -> (i + 1, j, k + 1)>
#south = affine_map<(i, j, k) -> (i + 1, j + 2, k + 1)>
#west = affine_map<(i, j, k) -> (i + 1, j + 1, k)>
#east = affine_map<(i, j, k) -> (i + 1, j + 1, k + 2)>
#centre = affine_map<(i, j, k) -> (i + 1, j + 1, k + 1)>
#front = affine_map<(i, j, k) -> (i, j + 1, k + 1)>
#back = affine_map<(i, j, k) -> (i + 2, j + 1, k + 1)>
#out = affine_map<(i, j, k) -> (i, j, k)>

func.func @jacobi3d_small(%x: tensor<7x9x13xf32>) -> tensor<5x7x11xf32> {
  %in = mdh.view.inp_view %x[#north, #south, #west, #east, #centre, #front, #back]
      : (tensor<7x9x13xf32>) -> !mdh.mda<5x7x11, f32, f32, f32, f32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc] {
  ^bb0(%north: f32, %south: f32, %west: f32, %east: f32, %centre: f32, %front: f32, %back: f32):
    %weight_east = arith.constant 0.161 : f32
    %part_east = arith.mulf %east, %weight_east : f32
    %weight_west = arith.constant 0.162 : f32
    %part_west = arith.mulf %west, %weight_west : f32
    %weight_south = arith.constant 0.163 : f32
    %part_south = arith.mulf %south, %weight_south : f32
    %weight_north = arith.constant 0.164 : f32
    %part_north = arith.mulf %north, %weight_north : f32
    %weight_back = arith.constant 0.165 : f32
    %part_back = arith.mulf %back, %weight_back : f32
    %weight_front = arith.constant 0.166 : f32
    %part_front = arith.mulf %front, %weight_front : f32
    %weight_centre = arith.constant 1.67 : f32
    %part_centre = arith.mulf %centre, %weight_centre : f32
    %sum1 = arith.addf %part_east, %part_west : f32
    %sum2 = arith.addf %sum1, %part_south : f32
    %sum3 = arith.addf %sum2, %part_north : f32
    %sum4 = arith.addf %sum3, %part_back : f32
    %sum5 = arith.addf %sum4, %part_front : f32
    %result = arith.subf %sum5, %part_centre : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<5x7x11, f32, f32, f32, f32, f32, f32, f32> -> !mdh.mda<5x7x11, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<5x7x11, f32> -> tensor<5x7x11xf32>
  return %out : tensor<5x7x11xf32>
}

func.func @jacobi3d_256(%x: tensor<258x258x258xf32>) -> tensor<256x256x256xf32> {
  %in = mdh.view.inp_view %x[#north, #south, #west, #east, #centre, #front, #back]
      : (tensor<258x258x258xf32>) -> !mdh.mda<256x256x256, f32, f32, f32, f32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc] {
  ^bb0(%north: f32, %south: f32, %west: f32, %east: f32, %centre: f32, %front: f32, %back: f32):
    %weight_east = arith.constant 0.161 : f32
    %part_east = arith.mulf %east, %weight_east : f32
    %weight_west = arith.constant 0.162 : f32
    %part_west = arith.mulf %west, %weight_west : f32
    %weight_south = arith.constant 0.163 : f32
    %part_south = arith.mulf %south, %weight_south : f32
    %weight_north = arith.constant 0.164 : f32
    %part_north = arith.mulf %north, %weight_north : f32
    %weight_back = arith.constant 0.165 : f32
    %part_back = arith.mulf %back, %weight_back : f32
    %weight_front = arith.constant 0.166 : f32
    %part_front = arith.mulf %front, %weight_front : f32
    %weight_centre = arith.constant 1.67 : f32
    %part_centre = arith.mulf %centre, %weight_centre : f32
    %sum1 = arith.addf %part_east, %part_west : f32
    %sum2 = arith.addf %sum1, %part_south : f32
    %sum3 = arith.addf %sum2, %part_north : f32
    %sum4 = arith.addf %sum3, %part_back : f32
    %sum5 = arith.addf %sum4, %part_front : f32
    %result = arith.subf %sum5, %part_centre : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<256x256x256, f32, f32, f32, f32, f32, f32, f32> -> !mdh.mda<256x256x256, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<256x256x256, f32> -> tensor<256x256x256xf32>
  return %out : tensor<256x256x256xf32>
}

func.func @jacobi3d_512(%x: tensor<514x514x514xf32>) -> tensor<512x512x512xf32> {
  %in = mdh.view.inp_view %x[#north, #south, #west, #east, #centre, #front, #back]
      : (tensor<514x514x514xf32>) -> !mdh.mda<512x512x512, f32, f32, f32, f32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.cc] {
  ^bb0(%north: f32, %south: f32, %west: f32, %east: f32, %centre: f32, %front: f32, %back: f32):
    %weight_east = arith.constant 0.161 : f32
    %part_east = arith.mulf %east, %weight_east : f32
    %weight_west = arith.constant 0.162 : f32
    %part_west = arith.mulf %west, %weight_west : f32
    %weight_south = arith.constant 0.163 : f32
    %part_south = arith.mulf %south, %weight_south : f32
    %weight_north = arith.constant 0.164 : f32
    %part_north = arith.mulf %north, %weight_north : f32
    %weight_back = arith.constant 0.165 : f32
    %part_back = arith.mulf %back, %weight_back : f32
    %weight_front = arith.constant 0.166 : f32
    %part_front = arith.mulf %front, %weight_front : f32
    %weight_centre = arith.constant 1.67 : f32
    %part_centre = arith.mulf %centre, %weight_centre : f32
    %sum1 = arith.addf %part_east, %part_west : f32
    %sum2 = arith.addf %sum1, %part_south : f32
    %sum3 = arith.addf %sum2, %part_north : f32
    %sum4 = arith.addf %sum3, %part_back : f32
    %sum5 = arith.addf %sum4, %part_front : f32
    %result = arith.subf %sum5, %part_centre : f32
    mdh.hom.yield %result : f32
  } : !mdh.mda<512x512x512, f32, f32, f32, f32, f32, f32, f32> -> !mdh.mda<512x512x512, f32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<512x512x512, f32> -> tensor<512x512x512xf32>
  return %out : tensor<512x512x512xf32>
}
