func.func @f(%x: vector<4xf32>) -> vector<4xf32> {
  return %x : vector<4xf32>
}
func.func @pair() -> (i32, i32) {
  %one = arith.constant 1 : i32
  return %one, %one : i32, i32
}
