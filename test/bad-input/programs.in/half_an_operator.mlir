mdh.hom.operator @sum commutative (%a: f32) -> (f32) {
  %r = arith.addf %a, %a : f32
  mdh.hom.yield %r : f32
}

