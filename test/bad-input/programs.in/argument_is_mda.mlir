func.func @f(%a: !mdh.mda<4, f32>) -> tensor<4xf32> {
  %w = mdh.view.out_view %a[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
