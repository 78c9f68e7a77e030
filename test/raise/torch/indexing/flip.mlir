// PyTorch 2.15, lowered to linalg by torch-mlir: x.flip(0, 1)
// The reference evaluator does not evaluate tensor.extract in a region.
// RUN: %python %S/../../Inputs/arrays.py %t 5x7
// RUN: %against-numpy mdh run %s --function main --input %t0.npy
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x7xf32>) -> tensor<5x7xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x7xf32>) outs(%1 : tensor<5x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = linalg.index 0 : index
      %4 = linalg.index 1 : index
      %5 = arith.subi %c4, %3 : index
      %6 = arith.subi %c6, %4 : index
      %extracted = tensor.extract %arg0[%5, %6] : tensor<5x7xf32>
      linalg.yield %extracted : f32
    } -> tensor<5x7xf32>
    return %2 : tensor<5x7xf32>
  }
}
