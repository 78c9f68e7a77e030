func.func @beyond_memory() -> tensor<18014398509481984xf32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<18014398509481984>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %c = arith.constant 1.0 : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<18014398509481984> -> !mdh.mda<18014398509481984, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<18014398509481984, f32> -> tensor<18014398509481984xf32>
  return %w : tensor<18014398509481984xf32>
}
