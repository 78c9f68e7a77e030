// Phases share loops if their order and assignment coincide.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores []

// All phases share all loops: results are combined where they are computed.
// CHECK:@all, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK-NEXT:for p1_1 in 0..3:
// CHECK-NEXT:  for p2_1 in 0..2:
// CHECK-NEXT:    level (2, 2) carried:
// CHECK-NEXT:      %0 = identity
// CHECK-NEXT:      %1 = for p2_2 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:        %3 = load input 1[2 * p1_1 + p2_1, p2_2]
// CHECK-NEXT:        %4 = scalar (%3)
// CHECK-NEXT:        %5 = accumulate (%2) with (%4)
// CHECK-NEXT:        yield %5
// CHECK-NEXT:      store %1 to output 1[2 * p1_1 + p2_1]
func.func @all(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [2, 8]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}

// The re-composition has other inner loops: results of the scalar function are materialized for it.
// CHECK:@scalar, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK-NEXT:allocate part1: 8 x 2 x f32 on the stack
// CHECK-NEXT:for p1_1 in 0..3:
// CHECK-NEXT:  for p2_1 in 0..2:
// CHECK-NEXT:    for p2_2 in 0..8:
// CHECK-NEXT:      %0 = load input 1[2 * p1_1 + p2_1, p2_2]
// CHECK-NEXT:      %1 = scalar (%0)
// CHECK-NEXT:      store %1 to part1[p2_2, p2_1]
// CHECK-NEXT:  level (2, 2) in memory:
// CHECK-NEXT:    initialize:
// CHECK-NEXT:      for p2_1 in 0..2:
// CHECK-NEXT:        %2 = identity
// CHECK-NEXT:        store %2 to output 1[2 * p1_1 + p2_1]
// CHECK-NEXT:    for p2_2 in 0..8:
// CHECK-NEXT:      for p2_1 in 0..2:
// CHECK-NEXT:        %3 = load part1[p2_2, p2_1]
// CHECK-NEXT:        %4 = load output 1[2 * p1_1 + p2_1]
// CHECK-NEXT:        %5 = combine (%4) with (%3)
// CHECK-NEXT:        store %5 to output 1[2 * p1_1 + p2_1]
func.func @scalar(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [2, 8]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"]]},
      scalar = {order = [[1, 2], [3, 4]]}, recompose = {order = [[1, 2], [4, 3]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}

// The de-composition has other inner loops: inputs are promoted for all of them before the others.
// CHECK:@decompose, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK-NEXT:allocate part1: 8 x 2 x f32 on the stack
// CHECK-NEXT:for p1_1 in 0..3:
// CHECK-NEXT:  promote input 1 to L1[2, 1]:
// CHECK-NEXT:    for p2_2 in 0..8:
// CHECK-NEXT:      for p2_1 in 0..2:
// CHECK-NEXT:        %0 = load input 1[2 * p1_1 + p2_1, p2_2]
// CHECK-NEXT:        store %0 to part1[p2_2, p2_1]
// CHECK-NEXT:  level (2, 2) in memory:
// CHECK-NEXT:    initialize:
// CHECK-NEXT:      for p2_1 in 0..2:
// CHECK-NEXT:        %1 = identity
// CHECK-NEXT:        store %1 to output 1[2 * p1_1 + p2_1]
// CHECK-NEXT:    for p2_2 in 0..8:
// CHECK-NEXT:      for p2_1 in 0..2:
// CHECK-NEXT:        %2 = load part1[p2_2, p2_1]
// CHECK-NEXT:        %3 = scalar (%2)
// CHECK-NEXT:        %4 = load output 1[2 * p1_1 + p2_1]
// CHECK-NEXT:        %5 = combine (%4) with (%3)
// CHECK-NEXT:        store %5 to output 1[2 * p1_1 + p2_1]
func.func @decompose(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [2, 8]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"]]]},
      scalar = {order = [[1, 2], [4, 3]], reads = ["L1[2, 1]"]}, recompose = {order = [[1, 2], [4, 3]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
