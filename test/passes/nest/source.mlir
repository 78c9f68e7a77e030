// The location of elements in promoted parts.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @tiles memory [MM: global, L1: cache, REG: registers] cores []

// With the axes exchanged, the elements of a register tile are contiguous.
// CHECK:@transposed, computation 1:
// CHECK-NEXT:input 1: 8 x 8 x f32
// CHECK-NEXT:output 1: 8 x f32
// CHECK-NEXT:allocate part1: 8 x 4 x f32 on the stack
// CHECK-NEXT:for p1_1 in 0..2:
// CHECK-NEXT:  promote input 1 to L1[2, 1]:
// CHECK-NEXT:    for p2_2 in 0..8:
// CHECK-NEXT:      for i0 in 0..4:
// CHECK-NEXT:        %0 = load input 1[4 * p1_1 + i0, p2_2]
// CHECK-NEXT:        store %0 to part1[p2_2, i0]
// CHECK-NEXT:  for p2_1 in 0..2:
// CHECK-NEXT:    level (2, 2) carried:
// CHECK-NEXT:      unroll level (3, 1) by 2:
// CHECK-NEXT:        %1 = identity
// CHECK-NEXT:        %2, %3 = for p2_2 in 0..8 carrying (%4 = %1, %5 = %1):
// CHECK-NEXT:          %6 = load part1[p2_2, 2 * p2_1]
// CHECK-NEXT:          %7 = scalar (%6)
// CHECK-NEXT:          %8 = load part1[p2_2, 2 * p2_1 + 1]
// CHECK-NEXT:          %9 = scalar (%8)
// CHECK-NEXT:          %10 = combine (%4) with (%7)
// CHECK-NEXT:          %11 = combine (%5) with (%9)
// CHECK-NEXT:          yield %10, %11
// CHECK-NEXT:        store %2 to output 1[4 * p1_1 + 2 * p2_1]
// CHECK-NEXT:        store %3 to output 1[4 * p1_1 + 2 * p2_1 + 1]
func.func @transposed(%M: memref<8x8xf32>, %w: memref<8xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<8x8xf32>) -> !mdh.mda<8x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[2, 1], [2, 8], [2, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"], ["L1[2, 1]", "L1[2, 1]"]]]},
      scalar = {reads = ["L1[2, 1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// An axis that is named twice is packed: the register tiles are outermost, the elements of a tile innermost, so that a tile reads one run.
// CHECK:@packed, computation 1:
// CHECK-NEXT:input 1: 8 x 8 x f32
// CHECK-NEXT:output 1: 8 x f32
// CHECK-NEXT:allocate part1: 2 x 8 x 2 x f32 on the stack
// CHECK-NEXT:for p1_1 in 0..2:
// CHECK-NEXT:  promote input 1 to L1[1, 2, 1]:
// CHECK-NEXT:    for p2_1 in 0..2:
// CHECK-NEXT:      for p2_2 in 0..8:
// CHECK-NEXT:        for p3_1 in 0..2:
// CHECK-NEXT:          %0 = load input 1[4 * p1_1 + 2 * p2_1 + p3_1, p2_2]
// CHECK-NEXT:          store %0 to part1[p2_1, p2_2, p3_1]
// CHECK-NEXT:  for p2_1 in 0..2:
// CHECK-NEXT:    level (2, 2) carried:
// CHECK-NEXT:      unroll level (3, 1) by 2:
// CHECK-NEXT:        %1 = identity
// CHECK-NEXT:        %2, %3 = for p2_2 in 0..8 carrying (%4 = %1, %5 = %1):
// CHECK-NEXT:          %6 = load part1[p2_1, p2_2, 0]
// CHECK-NEXT:          %7 = scalar (%6)
// CHECK-NEXT:          %8 = load part1[p2_1, p2_2, 1]
// CHECK-NEXT:          %9 = scalar (%8)
// CHECK-NEXT:          %10 = combine (%4) with (%7)
// CHECK-NEXT:          %11 = combine (%5) with (%9)
// CHECK-NEXT:          yield %10, %11
// CHECK-NEXT:        store %2 to output 1[4 * p1_1 + 2 * p2_1]
// CHECK-NEXT:        store %3 to output 1[4 * p1_1 + 2 * p2_1 + 1]
func.func @packed(%M: memref<8x8xf32>, %w: memref<8xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<8x8xf32>) -> !mdh.mda<8x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[2, 1], [2, 8], [2, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]"], ["L1[1, 2, 1]", "L1[1, 2, 1]"], ["L1[1, 2, 1]", "L1[1, 2, 1]"]]]},
      scalar = {reads = ["L1[1, 2, 1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}
