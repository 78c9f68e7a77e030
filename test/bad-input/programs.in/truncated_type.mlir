func.func @matvec(%M: tensor<4x6xf32>, %v: tensor<6xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<4x6xf32>, tensor<6xf32>) -> !mdh.mda<4x6
