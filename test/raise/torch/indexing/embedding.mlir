// PyTorch 2.15, lowered to linalg by torch-mlir: F.embedding(i % 6, w), with integers of 64 bits
// The reference evaluator does not evaluate tensor.extract in a region.
// RUN: %python %S/../../Inputs/arrays.py %t 3x4:i64@20 6x5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --input %t1.npy
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<3x4xi64>, %arg1: tensor<6x5xf32>) -> tensor<3x4x5xf32> {
    %c6_i64 = arith.constant 6 : i64
    %c0_i64 = arith.constant 0 : i64
    %c6 = arith.constant 6 : index
    %0 = tensor.empty() : tensor<3x4xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %out: i64):
      %4 = arith.remsi %in, %c6_i64 : i64
      %5 = arith.cmpi ne, %4, %c0_i64 : i64
      %6 = arith.cmpi slt, %4, %c0_i64 : i64
      %7 = arith.andi %5, %6 : i1
      %8 = arith.addi %4, %c6_i64 : i64
      %9 = arith.select %7, %8, %4 : i64
      linalg.yield %9 : i64
    } -> tensor<3x4xi64>
    %2 = tensor.empty() : tensor<3x4x5xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<3x4xi64>) outs(%2 : tensor<3x4x5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %4 = arith.index_cast %in : i64 to index
      %5 = linalg.index 2 : index
      %6 = arith.cmpi slt, %4, %c6 : index
      cf.assert %6, "index must be smaller than dim size"
      %7 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %7, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%4, %5] : tensor<6x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x4x5xf32>
    return %3 : tensor<3x4x5xf32>
  }
}
