// RUN: mdh-opt %s --mdh-raise="required=true" --split-input-file --verify-diagnostics

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @division(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be raised: requires that output 1 is combined by an associative operation on it and a value, but arith.divf combines it}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
