%0 = mdh.hom.md_hom %0 combine [#mdh.cc] {
^bb0(%a: f32):
  mdh.hom.yield %a : f32
} : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
