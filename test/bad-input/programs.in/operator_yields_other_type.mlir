mdh.hom.operator @sum commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.addf %a, %b : f32
  %i = arith.fptosi %r : f32 to i32
  mdh.hom.yield %i : i32
}

