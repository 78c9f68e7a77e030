func.func @scale(%x: memref<?xf32>) {
  %factor = arith.constant 2.0 : f32
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %factor : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %res[affine_map<(i) -> (i)>] into %x : !mdh.mda<?, f32>, memref<?xf32>
  return
}

// A function that is not exported.
func.func @other() {
  return
}
