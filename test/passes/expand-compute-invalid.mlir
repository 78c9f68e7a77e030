// RUN: mdh-opt %s --mdh-expand-compute --split-input-file --verify-diagnostics

// Prefix sums in two dimensions need a function that commutes.
func.func private @id(%x: i32) -> i32 {
  return %x : i32
}
// expected-note @below {{the operator is here}}
func.func private @last(%x: i32, %y: i32) -> i32 {
  return %y : i32
}
func.func @two_scans(%x: memref<4x2xi32>) -> memref<4x2xi32> {
  // expected-error @below {{'mdh.hom.md_hom' op C20: requires a commutative function in dimensions 1 and 2, because they are combined in any order, but @last_operator is not declared commutative}}
  %y = mdh.compute "scans" { inp_view = [[affine_map<(i, j) -> (i, j)>]],
    md_hom = { scalar_func = @id, combine_ops = [["ps", @last], ["ps", @last]] }, out_view = [[affine_map<(i, j) -> (i, j)>]] }
    { inp_types = [i32], mda_size = [4, 2], out_types = [i32] } (%x) : (memref<4x2xi32>) -> memref<4x2xi32>
  return %y : memref<4x2xi32>
}
