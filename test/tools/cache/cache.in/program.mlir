#same = affine_map<(i) -> (i)>

func.func @double(%x: tensor<4xi32>) -> tensor<4xi32> {
  %in = mdh.view.inp_view %x[#same] : (tensor<4xi32>) -> !mdh.mda<4, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32):
    %sum = arith.addi %a, %a : i32
    mdh.hom.yield %sum : i32
  } : !mdh.mda<4, i32> -> !mdh.mda<4, i32>
  %y = mdh.view.out_view %res[#same] : !mdh.mda<4, i32> -> tensor<4xi32>
  return %y : tensor<4xi32>
}
