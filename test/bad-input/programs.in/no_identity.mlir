mdh.hom.operator @sum commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.addf %a, %b : f32
  mdh.hom.yield %r : f32
}

func.func @f(%x: tensor<0xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<0xf32>) -> !mdh.mda<0, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@sum>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<0, f32> -> !mdh.mda<1, f32>
  %r = mdh.view.out_view %res[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %r : tensor<f32>
}
