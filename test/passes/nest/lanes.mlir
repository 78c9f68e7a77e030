// How values are distributed over vector lanes.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @lanes memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]

// Contiguous elements are loaded as a vector, and uniform values once.
// CHECK:@neighbours, computation 1:
// CHECK-NEXT:input 1: 16 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 16 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load 4 of input 1[4 * p1_1]
// CHECK-NEXT:    %1 = load input 2[3]
// CHECK-NEXT:    %2 = scalar (%0, %1) on 4 lanes
// CHECK-NEXT:    store %2 to 4 of output 1[4 * p1_1]
func.func @neighbours(%x: memref<16xf32>, %v: memref<8xf32>, %y: memref<16xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %v[affine_map<(i) -> (3)>] : (memref<16xf32>, memref<8xf32>) -> !mdh.mda<16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [1], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16, f32, f32> -> !mdh.mda<16, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<16, f32>, memref<16xf32>
  return
}

// Strided elements are loaded one by one.
// CHECK:@apart, computation 1:
// CHECK-NEXT:input 1: 32 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 16 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load input 1[2 * 4 * p1_1]
// CHECK-NEXT:    %1 = load input 1[2 * 4 * p1_1 + 2]
// CHECK-NEXT:    %2 = load input 1[2 * 4 * p1_1 + 4]
// CHECK-NEXT:    %3 = load input 1[2 * 4 * p1_1 + 6]
// CHECK-NEXT:    %4 = vector (%0, %1, %2, %3)
// CHECK-NEXT:    %5 = load input 2[3]
// CHECK-NEXT:    %6 = scalar (%4, %5) on 4 lanes
// CHECK-NEXT:    store %6 to 4 of output 1[4 * p1_1]
func.func @apart(%x: memref<32xf32>, %v: memref<8xf32>, %y: memref<16xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (2 * i)>], %v[affine_map<(i) -> (3)>] : (memref<32xf32>, memref<8xf32>) -> !mdh.mda<16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [1], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16, f32, f32> -> !mdh.mda<16, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<16, f32>, memref<16xf32>
  return
}

// The lanes of the last vector are moved, so that all are inside.
// CHECK:@moved, computation 1:
// CHECK-NEXT:input 1: 14 x f32
// CHECK-NEXT:input 2: 8 x f32
// CHECK-NEXT:output 1: 14 x f32
// CHECK-NEXT:for p1_1 in 0..4:
// CHECK-NEXT:  vectorize level (3, 1) by 4:
// CHECK-NEXT:    %0 = load 4 of input 1[min(10 - 4 * p1_1, 0) + 4 * p1_1]
// CHECK-NEXT:    %1 = load input 2[3]
// CHECK-NEXT:    %2 = scalar (%0, %1) on 4 lanes
// CHECK-NEXT:    store %2 to 4 of output 1[min(10 - 4 * p1_1, 0) + 4 * p1_1]
func.func @moved(%x: memref<14xf32>, %v: memref<8xf32>, %y: memref<14xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %v[affine_map<(i) -> (3)>] : (memref<14xf32>, memref<8xf32>) -> !mdh.mda<14, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @lanes, parts = [[4], [1], [4]],
      decompose = {tags = [["MM,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<14, f32, f32> -> !mdh.mda<14, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<14, f32>, memref<14xf32>
  return
}
