#i = affine_map<(i) -> (i)>
func.func @divide(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %in = mdh.view.inp_view %x[#i], %y[#i] : (tensor<4xi32>, tensor<4xi32>) -> !mdh.mda<4, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32, %b: i32):
    %quotient = arith.divsi %a, %b : i32
    mdh.hom.yield %quotient : i32
  } : !mdh.mda<4, i32, i32> -> !mdh.mda<4, i32>
  %out = mdh.view.out_view %res[#i] : !mdh.mda<4, i32> -> tensor<4xi32>
  return %out : tensor<4xi32>
}
