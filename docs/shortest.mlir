// The first program of README.md: D(i, j) = minimum over k of A(i, k) + B(k, j). docs/generated/shortest.svg is its nest.

func.func @shortest(%A: tensor<480x480xf32>, %B: tensor<480x480xf32>) -> tensor<480x480xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<480x480xf32>, tensor<480x480xf32>) -> !mdh.mda<480x480x480, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<min>] attributes {dimension_names = ["i", "j", "k"]} {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    mdh.hom.yield %sum : f32
  } : !mdh.mda<480x480x480, f32, f32> -> !mdh.mda<480x480x1, f32>
  %D = mdh.view.out_view %res[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<480x480x1, f32> -> tensor<480x480xf32>
  return %D : tensor<480x480xf32>
}
