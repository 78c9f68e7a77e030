// Siblings, raised and joined, against the reference evaluator.
// RUN: mdh-opt %s --mdh-raise=required=true --mdh-fuse=all=false | FileCheck %s
// RUN: %python %S/Inputs/arrays.py %t 33x70 3x0
// RUN: %against-numpy mdh run %s --function mixed --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function mixed --input %t0.npy --strict --threads 2 --check
// RUN: %against-numpy mdh run %s --function mixed --input -0.0 --check
// RUN: %against-numpy mdh run %s --function mixed --input nan --check
// RUN: %against-numpy mdh run %s --function empty --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t1.npy --check

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Components of different types. The sum starts with -0.0, its identity, and the others with theirs.
// CHECK-LABEL: @mixed
// CHECK: combine [#mdh.cc, #mdh.pw<[add, add, min]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @mixed(%x: tensor<33x70xf32>) -> (tensor<33xf64>, tensor<33xi32>, tensor<33xf32>) {
  %z64 = arith.constant -0.0 : f64
  %z32 = arith.constant 0 : i32
  %big = arith.constant 0x7F800000 : f32
  %e64 = tensor.empty() : tensor<33xf64>
  %e32 = tensor.empty() : tensor<33xi32>
  %ef = tensor.empty() : tensor<33xf32>
  %s64 = linalg.fill ins(%z64 : f64) outs(%e64 : tensor<33xf64>) -> tensor<33xf64>
  %s32 = linalg.fill ins(%z32 : i32) outs(%e32 : tensor<33xi32>) -> tensor<33xi32>
  %sf = linalg.fill ins(%big : f32) outs(%ef : tensor<33xf32>) -> tensor<33xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%s64 : tensor<33xf64>) {
  ^bb0(%a: f32, %o: f64):
    %p = arith.extf %a : f32 to f64
    %q = arith.addf %o, %p : f64
    linalg.yield %q : f64
  } -> tensor<33xf64>
  %count = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<33x70xf32>) outs(%s32 : tensor<33xi32>) {
  ^bb0(%a: f32, %o: i32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %p = arith.extui %c : i1 to i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<33xi32>
  %min = linalg.reduce ins(%x : tensor<33x70xf32>) outs(%sf : tensor<33xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %s = arith.minimumf %a, %b : f32 linalg.yield %s : f32 }
  return %sum, %count, %min : tensor<33xf64>, tensor<33xi32>, tensor<33xf32>
}

// Rows without elements: the results are the initial values.
// CHECK-LABEL: @empty
// CHECK: combine [#mdh.cc, #mdh.pw<[add, min]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @empty(%x: tensor<3x0xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = arith.constant 0.0 : f32
  %big = arith.constant 0x7F800000 : f32
  %ef = tensor.empty() : tensor<3xf32>
  %s = linalg.fill ins(%z : f32) outs(%ef : tensor<3xf32>) -> tensor<3xf32>
  %sf = linalg.fill ins(%big : f32) outs(%ef : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.reduce ins(%x : tensor<3x0xf32>) outs(%s : tensor<3xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %t = arith.addf %a, %b : f32 linalg.yield %t : f32 }
  %min = linalg.reduce ins(%x : tensor<3x0xf32>) outs(%sf : tensor<3xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %t = arith.minimumf %a, %b : f32 linalg.yield %t : f32 }
  return %sum, %min : tensor<3xf32>, tensor<3xf32>
}

// Dynamic extents: the squares are inlined, and the sum of squares and the minimum are siblings.
// CHECK-LABEL: @dynamic
// CHECK: combine [#mdh.cc, #mdh.pw<[add, min]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @dynamic(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = arith.constant 0.0 : f32
  %big = arith.constant 0x7F800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %all = tensor.empty(%n, %m) : tensor<?x?xf32>
  %sq = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %nn = tensor.dim %sq, %c0 : tensor<?x?xf32>
  %ef = tensor.empty(%nn) : tensor<?xf32>
  %s = linalg.fill ins(%z : f32) outs(%ef : tensor<?xf32>) -> tensor<?xf32>
  %sf = linalg.fill ins(%big : f32) outs(%ef : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%sq : tensor<?x?xf32>) outs(%s : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %t = arith.addf %a, %b : f32 linalg.yield %t : f32 }
  %min = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%sf : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %t = arith.minimumf %a, %b : f32 linalg.yield %t : f32 }
  return %sum, %min : tensor<?xf32>, tensor<?xf32>
}
