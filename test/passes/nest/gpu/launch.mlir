// Blocks exchange values between kernels.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

// Columns are distributed over blocks: each block has partial results, and the blocks of a second kernel combine them.
// CHECK:@blocks, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK:allocate part1: 4 x 6 x f32 on the device
// CHECK-NEXT:level (1, 2) in a tree across blocks:
// CHECK-NEXT:  kernel blocks (2, 4, 1) threads (3, 1, 1):
// CHECK-NEXT:    map level (1, 1) to blocks: block.x
// CHECK-NEXT:    map level (1, 2) to blocks: block.y
// CHECK-NEXT:    map level (2, 1) to threads: thread.x
// CHECK-NEXT:    level (3, 2) carried:
// CHECK-NEXT:      %0 = identity
// CHECK-NEXT:      %1 = for p3_2 in 0..2 carrying (%2 = %0):
// CHECK-NEXT:        %3 = load device input 1[3 * block.x + thread.x, 2 * block.y + p3_2]
// CHECK-NEXT:        %4 = scalar (%3)
// CHECK-NEXT:        %5 = accumulate (%2) with (%4)
// CHECK-NEXT:        yield %5
// CHECK-NEXT:      store %1 to part1[block.y, 3 * block.x + thread.x]
// CHECK-NEXT:  kernel blocks (6, 1, 1) threads (4, 1, 1):
// CHECK-NEXT:    allocate part2: 4 x f32, shared
// CHECK-NEXT:    %6 = load part1[min(thread.x, 3), block.x]
// CHECK-NEXT:    %7 = for p1_2 in 0..max(4 - thread.x - 1, 0) / 4 carrying (%8 = %6):
// CHECK-NEXT:      %9 = load part1[4 * (p1_2 + 1) + thread.x, block.x]
// CHECK-NEXT:      %10 = combine (%8) with (%9)
// CHECK-NEXT:      yield %10
// CHECK-NEXT:    barrier
// CHECK-NEXT:    store %7 to part2[thread.x]
// CHECK-NEXT:    barrier
// CHECK-NEXT:    %11 = load part2[thread.x]
// CHECK-NEXT:    %12 = if thread.x == 0:
// CHECK-NEXT:      %13 = for i0 in 1..4 carrying (%14 = %11):
// CHECK-NEXT:        %15 = load part2[thread.x + i0]
// CHECK-NEXT:        %16 = combine (%14) with (%15)
// CHECK-NEXT:        yield %16
// CHECK-NEXT:      yield %13
// CHECK-NEXT:    else:
// CHECK-NEXT:      yield %11
// CHECK-NEXT:    if thread.x == 0:
// CHECK-NEXT:      store %12 to device output 1[block.x]
// CHECK-NEXT:free part1
func.func @blocks(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[2, 4], [3, 1], [1, 2], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}

// Only rows are distributed over blocks: one kernel.
// CHECK:@one, computation 1:
// CHECK-NEXT:input 1: 6 x 8 x f32
// CHECK-NEXT:output 1: 6 x f32
// CHECK:kernel blocks (2, 1, 1) threads (3, 1, 1):
// CHECK-NEXT:  map level (1, 1) to blocks: block.x
// CHECK-NEXT:  map level (2, 1) to threads: thread.x
// CHECK-NEXT:  level (3, 2) carried:
// CHECK-NEXT:    %0 = identity
// CHECK-NEXT:    %1 = for p3_2 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:      %3 = load device input 1[3 * block.x + thread.x, p3_2]
// CHECK-NEXT:      %4 = scalar (%3)
// CHECK-NEXT:      %5 = accumulate (%2) with (%4)
// CHECK-NEXT:      yield %5
// CHECK-NEXT:    store %1 to device output 1[3 * block.x + thread.x]
func.func @one(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[2, 1], [3, 1], [1, 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
