// Tiles of 2 vectors: if a tile may be partial, its code is emitted twice.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @lanes memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

// All tiles are full.
// CHECK:@even, computation 1:
// CHECK-NEXT:input 1: 32 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 32 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load 4 of input 1[8 * p1_1]
// CHECK-NEXT:    %1 = load input 2[3]
// CHECK-NEXT:    %2 = scalar (%0, %1) on 4 lanes
// CHECK-NEXT:    %3 = load 4 of input 1[8 * p1_1 + 4]
// CHECK-NEXT:    %4 = scalar (%3, %1) on 4 lanes
// CHECK-NEXT:    store %2 to 4 of output 1[8 * p1_1]
// CHECK-NEXT:    store %4 to 4 of output 1[8 * p1_1 + 4]
func.func @even(%x: memref<32xf32>, %v: memref<8xf32>, %y: memref<32xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %v[affine_map<(i) -> (3)>] : (memref<32xf32>, memref<8xf32>) -> !mdh.mda<32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [2], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<32, f32, f32> -> !mdh.mda<32, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<32, f32>, memref<32xf32>
  return
}

// The last tile is not full.
// CHECK:@ragged, computation 1:
// CHECK-NEXT:input 1: 30 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 30 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 1) by 4:
// CHECK-NEXT:    if 8 * p1_1 + 7 < 30:
// CHECK-NEXT:      %0 = load 4 of input 1[8 * p1_1]
// CHECK-NEXT:      %1 = load input 2[3]
// CHECK-NEXT:      %2 = scalar (%0, %1) on 4 lanes
// CHECK-NEXT:      %3 = load 4 of input 1[8 * p1_1 + 4]
// CHECK-NEXT:      %4 = scalar (%3, %1) on 4 lanes
// CHECK-NEXT:      store %2 to 4 of output 1[8 * p1_1]
// CHECK-NEXT:      store %4 to 4 of output 1[8 * p1_1 + 4]
// CHECK-NEXT:    else:
// CHECK-NEXT:      %5 = load 4 of input 1[8 * p1_1] where lane < min(30 - 8 * p1_1, 4), else 0
// CHECK-NEXT:      %6 = load input 2[3]
// CHECK-NEXT:      %7 = scalar (%5, %6) on 4 lanes
// CHECK-NEXT:      %8 = load 4 of input 1[8 * p1_1 + 4 * (if 8 * p1_1 + 4 < 30 then 1 else 0)] where lane < min(30 - (8 * p1_1 + 4 * (if 8 * p1_1 + 4 < 30 then 1 else 0)), 4), else 0
// CHECK-NEXT:      %9 = scalar (%8, %6) on 4 lanes
// CHECK-NEXT:      store %7 to 4 of output 1[8 * p1_1] where lane < min(30 - 8 * p1_1, 4)
// CHECK-NEXT:      store %9 to 4 of output 1[8 * p1_1 + 4 * (if 8 * p1_1 + 4 < 30 then 1 else 0)] where lane < (if 8 * p1_1 + 4 < 30 then min(30 - (8 * p1_1 + 4 * (if 8 * p1_1 + 4 < 30 then 1 else 0)), 4) else 0)
func.func @ragged(%x: memref<30xf32>, %v: memref<8xf32>, %y: memref<30xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %v[affine_map<(i) -> (3)>] : (memref<30xf32>, memref<8xf32>) -> !mdh.mda<30, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [2], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<30, f32, f32> -> !mdh.mda<30, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<30, f32>, memref<30xf32>
  return
}
