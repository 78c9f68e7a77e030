// Nested reductions, each with its own value, inside a tile of registers and vectors: the values of all points of the tile are live.
// RUN: bash -c 'for name in first last masked identity unrolled tuples floats; do mdh run %s --function $name --strict --check; done' \
// RUN:   2>&1 | FileCheck %s
// CHECK-COUNT-7: agrees with the reference evaluator
// CHECK-NOT: error:
// RUN: mdh run %s --function open --input 9 --strict --check 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: agrees with the reference evaluator

mdh.hom.operator @largest commutative (%a: i64, %b: i64) -> (i64) {
  %r = arith.maxsi %a, %b : i64
  mdh.hom.yield %r : i64
}
mdh.hom.operator @largest_f32 commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.maximumf %a, %b : f32
  mdh.hom.yield %r : f32
}
mdh.hom.operator @better commutative (%a: i64, %i: i8, %b: i64, %j: i8) -> (i64, i8) {
  %larger = arith.cmpi sgt, %a, %b : i64
  %equal = arith.cmpi eq, %a, %b : i64
  %smaller = arith.cmpi sle, %i, %j : i8
  %tie = arith.andi %equal, %smaller : i1
  %keep = arith.ori %larger, %tie : i1
  %c = arith.select %keep, %a, %b : i64
  %k = arith.select %keep, %i, %j : i8
  mdh.hom.yield %c, %k : i64, i8
}

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

// By the default schedule, the concatenated dimension is in lanes, around both reductions.
func.func @first() -> tensor<4xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<4x2x2>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<@largest>, #mdh.pw<@largest>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<4x2x2> -> !mdh.mda<4x1x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<4x1x1, i64> -> tensor<4xi64>
  return %w : tensor<4xi64>
}

func.func @last() -> tensor<4xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<2x3x4>
  %r = mdh.hom.md_hom %none combine [#mdh.pw<@largest>, #mdh.pw<@largest>, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<2x3x4> -> !mdh.mda<1x1x4, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (k)>] : !mdh.mda<1x1x4, i64> -> tensor<4xi64>
  return %w : tensor<4xi64>
}

func.func @masked() -> tensor<13xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<13x3x5>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<@largest>, #mdh.pw<@largest>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<13x3x5> -> !mdh.mda<13x1x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<13x1x1, i64> -> tensor<13xi64>
  return %w : tensor<13xi64>
}

// Out-of-bounds lanes of a dynamic extent.
func.func @open(%n: index) -> tensor<?xi64> {
  %none = mdh.view.inp_view extents(%n) : () -> !mdh.mda<?x3x5>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<@largest>, #mdh.pw<@largest>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<?x3x5> -> !mdh.mda<?x1x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<?x1x1, i64> -> tensor<?xi64>
  return %w : tensor<?xi64>
}

// The same with an identity, and with a loop over a non-reduction dimension between the reductions.
func.func @identity() -> tensor<10xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<10x5x7>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<max>, #mdh.pw<max>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [1, 5, 7], [3, 1, 1], [1, 1, 1], [4, 1, 1]],
      decompose = {order = [[5, 6, 7], [8, 2, 4], [3, 9, 10], [11, 12, 13], [1, 14, 15]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"], ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<10x5x7> -> !mdh.mda<10x1x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<10x1x1, i64> -> tensor<10xi64>
  return %w : tensor<10xi64>
}

// Three vectors, the last one masked.
func.func @unrolled() -> tensor<10xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<10x5x7>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<@largest>, #mdh.pw<@largest>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [1, 5, 7], [1, 1, 1], [3, 1, 1], [4, 1, 1]],
      decompose = {order = [[5, 6, 7], [8, 3, 4], [11, 9, 10], [1, 12, 13], [2, 14, 15]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"], ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    mdh.hom.yield %v : i64
  } : !mdh.mda<10x5x7> -> !mdh.mda<10x1x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<10x1x1, i64> -> tensor<10xi64>
  return %w : tensor<10xi64>
}

func.func @tuples() -> (tensor<9xi64>, tensor<9xi8>) {
  %none = mdh.view.inp_view : () -> !mdh.mda<9x3x6>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<@better>, #mdh.pw<@better>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    %p = arith.index_cast %3 : index to i8
    mdh.hom.yield %v, %p : i64, i8
  } : !mdh.mda<9x3x6> -> !mdh.mda<9x1x1, i64, i8>
  %w:2 = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>], [affine_map<(i, j, k) -> (i)>] : !mdh.mda<9x1x1, i64, i8> -> tensor<9xi64>, tensor<9xi8>
  return %w#0, %w#1 : tensor<9xi64>, tensor<9xi8>
}

func.func @floats() -> tensor<8xf32> {
  %none = mdh.view.inp_view : () -> !mdh.mda<2x3x8>
  %r = mdh.hom.md_hom %none combine [#mdh.pw<@largest_f32>, #mdh.pw<@largest_f32>, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %c37 = arith.constant 37 : index
    %c11 = arith.constant 11 : index
    %c23 = arith.constant 23 : index
    %c63 = arith.constant 63 : index
    %0 = arith.muli %i, %c37 : index
    %1 = arith.muli %j, %c11 : index
    %2 = arith.muli %k, %c23 : index
    %3 = arith.addi %0, %1 : index
    %4 = arith.xori %3, %2 : index
    %5 = arith.andi %4, %c63 : index
    %v = arith.index_cast %5 : index to i64
    %f = arith.sitofp %v : i64 to f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<2x3x8> -> !mdh.mda<1x1x8, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (k)>] : !mdh.mda<1x1x8, f32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
