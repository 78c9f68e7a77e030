#i = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[#i] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %out = mdh.view.out_view %res[#i] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %out : tensor<?xf32>
}

func.func @largest(%x: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[#i] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#all] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

mdh.hom.operator @nearer commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.minimumf %a, %b : f32
  mdh.hom.yield %r : f32
}

func.func @nearest(%x: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[#i] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@nearer>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#all] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}

func.func @dot(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[#i], %y[#i] : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?, f32, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %res[#all] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}
