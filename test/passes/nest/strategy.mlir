// How the parts of a reduction or scan step are combined.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

// The sum of a row is carried in a register, and written once.
// CHECK:@carried, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK-NEXT:for p2_1 in 0..6:
// CHECK-NEXT:  level (2, 2) carried:
// CHECK-NEXT:    %0 = identity
// CHECK-NEXT:    %1 = for p2_2 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:      %3 = load input 1[p2_1, p2_2]
// CHECK-NEXT:      %4 = scalar (%3)
// CHECK-NEXT:      %5 = accumulate (%2) with (%4)
// CHECK-NEXT:      yield %5
// CHECK-NEXT:    store %1 to output 1[p2_1]
func.func @carried(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[1, 1], [6, 8]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}

// With columns outside rows, each column is added to the result in memory.
// CHECK:@in_memory, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK-NEXT:level (2, 2) in memory:
// CHECK-NEXT:  initialize:
// CHECK-NEXT:    for p2_1 in 0..6:
// CHECK-NEXT:      %0 = identity
// CHECK-NEXT:      store %0 to output 1[p2_1]
// CHECK-NEXT:  for p2_2 in 0..8:
// CHECK-NEXT:    for p2_1 in 0..6:
// CHECK-NEXT:      %1 = load input 1[p2_1, p2_2]
// CHECK-NEXT:      %2 = scalar (%1)
// CHECK-NEXT:      %3 = load output 1[p2_1]
// CHECK-NEXT:      %4 = combine (%3) with (%2)
// CHECK-NEXT:      store %4 to output 1[p2_1]
func.func @in_memory(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[1, 1], [6, 8]],
      decompose = {order = [[1, 2], [4, 3]], tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"]]},
      scalar = {order = [[1, 2], [4, 3]]}, recompose = {order = [[1, 2], [4, 3]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}

// Threads have private partial results, which are combined after the parallel loop.
// CHECK:@tree, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: f32
// CHECK-NEXT:allocate part1: 8 x f32 on the stack
// CHECK-NEXT:level (1, 1) in a tree across threads:
// CHECK-NEXT:  parallel for p1_1 in 0..8:
// CHECK-NEXT:    level (2, 1) carried:
// CHECK-NEXT:      %0 = identity
// CHECK-NEXT:      %1 = for p2_1 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:        %3 = load input 1[8 * p1_1 + p2_1]
// CHECK-NEXT:        %4 = scalar (%3)
// CHECK-NEXT:        %5 = accumulate (%2) with (%4)
// CHECK-NEXT:        yield %5
// CHECK-NEXT:      store %1 to part1[p1_1]
// CHECK-NEXT:  initialize:
// CHECK-NEXT:    %6 = identity
// CHECK-NEXT:    store %6 to output 1[]
// CHECK-NEXT:  for p1_1 in 0..8:
// CHECK-NEXT:    %7 = load part1[p1_1]
// CHECK-NEXT:    %8 = load output 1[]
// CHECK-NEXT:    %9 = combine (%8) with (%7)
// CHECK-NEXT:    store %9 to output 1[]
func.func @tree(%x: memref<64xf32>, %y: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[8], [8]],
      decompose = {tags = [["COR,x"], ["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %y : !mdh.mda<1, f32>, memref<f32>
  return
}

// Threads scan their parts, then the prefix of each part is computed, and threads combine it with their part.
// CHECK:@scan, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: 64 x f32
// CHECK-NEXT:allocate part1: 8 x f32 on the stack
// CHECK-NEXT:level (1, 1) in a scan across threads:
// CHECK-NEXT:  parallel for p1_1 in 0..8:
// CHECK:  for p1_1 in 1..8:
// CHECK:  parallel for p1_1 in 0..7:
func.func @scan(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @threads, parts = [[8], [8]],
      decompose = {tags = [["COR,x"], ["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
