// Tiles of 2 vectors: a partial tile is moved, or has code of its own.
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

// The last tile is not full: it begins earlier.
// CHECK:@ragged, computation 1:
// CHECK-NEXT:input 1: 30 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 30 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load 4 of input 1[min(22 - 8 * p1_1, 0) + 8 * p1_1]
// CHECK-NEXT:    %1 = load input 2[3]
// CHECK-NEXT:    %2 = scalar (%0, %1) on 4 lanes
// CHECK-NEXT:    %3 = load 4 of input 1[min(22 - 8 * p1_1, 0) + 8 * p1_1 + 4]
// CHECK-NEXT:    %4 = scalar (%3, %1) on 4 lanes
// CHECK-NEXT:    store %2 to 4 of output 1[min(22 - 8 * p1_1, 0) + 8 * p1_1]
// CHECK-NEXT:    store %4 to 4 of output 1[min(22 - 8 * p1_1, 0) + 8 * p1_1 + 4]
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

// No point is computed again, because the output is read: the vectors of the last tile are computed in a loop.
// CHECK:@updated, computation 1:
// CHECK-NEXT:input 1: ? x f32
// CHECK-NEXT:output 1: ? x f32
// CHECK-NEXT:for p1_1 in 0..min(max(ceildiv(size(input 1, 0) - 7, 8), 0), ceildiv(size(input 1, 0), 8)):
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load 4 of input 1[8 * p1_1]
// CHECK-NEXT:    %1 = scalar (%0) on 4 lanes
// CHECK-NEXT:    %2 = load 4 of input 1[8 * p1_1 + 4]
// CHECK-NEXT:    %3 = scalar (%2) on 4 lanes
// CHECK-NEXT:    store %1 to 4 of output 1[8 * p1_1]
// CHECK-NEXT:    store %3 to 4 of output 1[8 * p1_1 + 4]
// CHECK-NEXT:for p1_1 in min(max(ceildiv(size(input 1, 0) - 7, 8), 0), ceildiv(size(input 1, 0), 8))..ceildiv(size(input 1, 0), 8):
// CHECK-NEXT:  unroll level (2, 1) by 2, vectorize level (3, 1) by 4:
// CHECK-NEXT:    for i0 in 0..min(ceildiv(size(input 1, 0) - 8 * p1_1, 4), 2):
// CHECK-NEXT:      if size(input 1, 0) - (4 * i0 + 8 * p1_1) >= 4:
// CHECK-NEXT:        %4 = load 4 of input 1[4 * i0 + 8 * p1_1]
// CHECK-NEXT:        %5 = scalar (%4) on 4 lanes
// CHECK-NEXT:        store %5 to 4 of output 1[4 * i0 + 8 * p1_1]
// CHECK-NEXT:      else:
// CHECK-NEXT:        for i1 in 0..(size(input 1, 0) - (4 * i0 + 8 * p1_1)):
// CHECK-NEXT:          %6 = load input 1[4 * i0 + i1 + 8 * p1_1]
// CHECK-NEXT:          %7 = scalar (%6)
// CHECK-NEXT:          store %7 to output 1[4 * i0 + i1 + 8 * p1_1]
func.func @updated(%y: memref<?xf32>) {
  %in = mdh.view.inp_view %y[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [["?"], [2], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %p = arith.addf %a, %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<?, f32>, memref<?xf32>
  return
}

// Each element is loaded once, though points of the tile share some. A tile of 8 points needs 10 of them.
// CHECK:@stencil, computation 1:
// CHECK-NEXT:input 1: 34 x f32
// CHECK-NEXT:output 1: 32 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  unroll level (2, 1) by 8:
// CHECK-NEXT:    %0 = load input 1[8 * p1_1]
// CHECK-NEXT:    %1 = load input 1[8 * p1_1 + 2]
// CHECK-NEXT:    %2 = scalar (%0, %1)
// CHECK-NEXT:    %3 = load input 1[8 * p1_1 + 1]
// CHECK-NEXT:    %4 = load input 1[8 * p1_1 + 1 + 2]
// CHECK-NEXT:    %5 = scalar (%3, %4)
// CHECK-NEXT:    %6 = load input 1[8 * p1_1 + 2 + 2]
// CHECK-NEXT:    %7 = scalar (%1, %6)
// CHECK-NEXT:    %8 = load input 1[8 * p1_1 + 3 + 2]
// CHECK-NEXT:    %9 = scalar (%4, %8)
// CHECK-NEXT:    %10 = load input 1[8 * p1_1 + 4 + 2]
// CHECK-NEXT:    %11 = scalar (%6, %10)
// CHECK-NEXT:    %12 = load input 1[8 * p1_1 + 5 + 2]
// CHECK-NEXT:    %13 = scalar (%8, %12)
// CHECK-NEXT:    %14 = load input 1[8 * p1_1 + 6 + 2]
// CHECK-NEXT:    %15 = scalar (%10, %14)
// CHECK-NEXT:    %16 = load input 1[8 * p1_1 + 7 + 2]
// CHECK-NEXT:    %17 = scalar (%12, %16)
// CHECK-NEXT:    store %2 to output 1[8 * p1_1]
// CHECK-NEXT:    store %5 to output 1[8 * p1_1 + 1]
// CHECK-NEXT:    store %7 to output 1[8 * p1_1 + 2]
// CHECK-NEXT:    store %9 to output 1[8 * p1_1 + 3]
// CHECK-NEXT:    store %11 to output 1[8 * p1_1 + 4]
// CHECK-NEXT:    store %13 to output 1[8 * p1_1 + 5]
// CHECK-NEXT:    store %15 to output 1[8 * p1_1 + 6]
// CHECK-NEXT:    store %17 to output 1[8 * p1_1 + 7]
func.func @stencil(%x: memref<34xf32>, %y: memref<32xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>] : (memref<34xf32>) -> !mdh.mda<32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [8], [1]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<32, f32, f32> -> !mdh.mda<32, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<32, f32>, memref<32xf32>
  return
}

// Between the points of a tile are points of other tiles: the last one is not moved, which would leave them out.
// CHECK:@strided, computation 1:
// CHECK-NEXT:input 1: 7 x f32
// CHECK-NEXT:output 1: 7 x f32
// CHECK-NEXT:for p3_1 in 0..4:
// CHECK-NEXT:  vectorize level (1, 1) by 2:
// CHECK-NEXT:    if p3_1 + 4 < 7:
// CHECK-NEXT:      %0 = load input 1[p3_1]
// CHECK-NEXT:      %1 = load input 1[p3_1 + 4]
// CHECK-NEXT:      %2 = vector (%0, %1)
// CHECK-NEXT:      %3 = scalar (%2) on 2 lanes
// CHECK-NEXT:      %4 = lane 0 of %3
// CHECK-NEXT:      store %4 to output 1[p3_1]
// CHECK-NEXT:      %5 = lane 1 of %3
// CHECK-NEXT:      store %5 to output 1[p3_1 + 4]
// CHECK-NEXT:    else:
// CHECK-NEXT:      if ceildiv(7 - p3_1, 4) >= 2:
// CHECK-NEXT:        %6 = load input 1[p3_1]
// CHECK-NEXT:        %7 = load input 1[p3_1 + 4]
// CHECK-NEXT:        %8 = vector (%6, %7)
// CHECK-NEXT:        %9 = scalar (%8) on 2 lanes
// CHECK-NEXT:        %10 = lane 0 of %9
// CHECK-NEXT:        store %10 to output 1[p3_1]
// CHECK-NEXT:        %11 = lane 1 of %9
// CHECK-NEXT:        store %11 to output 1[p3_1 + 4]
// CHECK-NEXT:      else:
// CHECK-NEXT:        for i0 in 0..ceildiv(7 - p3_1, 4):
// CHECK-NEXT:          %12 = load input 1[4 * i0 + p3_1]
// CHECK-NEXT:          %13 = scalar (%12)
// CHECK-NEXT:          store %13 to output 1[4 * i0 + p3_1]
func.func @strided(%x: memref<7xf32>, %y: memref<7xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<7xf32>) -> !mdh.mda<7, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[2], [1], [4]],
      decompose = {order = [[3], [2], [1]], tags = [["SIMD,x"], ["REG,x"], ["MM,x"]]},
      scalar = {order = [[3], [2], [1]]}, recompose = {order = [[3], [2], [1]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<7, f32> -> !mdh.mda<7, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<7, f32>, memref<7xf32>
  return
}
