// RUN: mdh-opt %s --mdh-declare-systems --verify-diagnostics

// The name means something else in the module.
func.func @artificial() {
  return
}
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @artificial, parts = [[8], [1], [1]],
      decompose = {tags = [["HM,x"], ["COR,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %h[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}
