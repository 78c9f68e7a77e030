func.func @pair() -> (i32, i32) {
  %one = arith.constant 1 : i32
  return %one, %one : i32, i32
}
