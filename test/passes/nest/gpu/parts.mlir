// Out-of-bounds threads, because 10 rows are not a multiple of 4, and threads whose results are combined into those of others.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

// All of them reach every barrier, and compute with the last row of their block. Only valid results are stored.
// CHECK:@rows, computation 1:
// CHECK-NEXT:input 1: 10 x 6 x f32
// CHECK-NEXT:output 1: 10 x f32
// CHECK:kernel blocks (3, 1, 1) threads (4, 2, 1):
// CHECK-NEXT:  map level (1, 1) to blocks: block.x
// CHECK-NEXT:  map level (2, 1) to threads: thread.x
// CHECK-NEXT:  map level (2, 2) to threads: thread.y
// CHECK-NEXT:  allocate part1: 8 x f32, shared
// CHECK-NEXT:  level (2, 2) in a tree across threads:
// CHECK-NEXT:    %0 = identity
// CHECK-NEXT:    %1 = for p3_2 in 0..3 carrying (%2 = %0):
// CHECK-NEXT:      %3 = load device input 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1), 3 * thread.y + p3_2]
// CHECK-NEXT:      %4 = scalar (%3)
// CHECK-NEXT:      %5 = accumulate (%2) with (%4)
// CHECK-NEXT:      yield %5
// CHECK-NEXT:    barrier
// CHECK-NEXT:    store %1 to part1[4 * thread.y + thread.x]
// CHECK-NEXT:    barrier
// CHECK-NEXT:    %6 = load part1[4 * thread.y + thread.x]
// CHECK-NEXT:    %7 = if thread.y == 0:
// CHECK-NEXT:      %8 = load part1[4 * thread.y + thread.x + 4]
// CHECK-NEXT:      %9 = combine (%6) with (%8)
// CHECK-NEXT:      yield %9
// CHECK-NEXT:    else:
// CHECK-NEXT:      yield %6
// CHECK-NEXT:    if block.x < 3 and thread.x < min(4, 10 - 4 * min(block.x, 2)) and thread.y == 0:
// CHECK-NEXT:      store %7 to device output 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1)]
func.func @rows(%M: memref<10x6xf32>, %w: memref<10xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<10x6xf32>) -> !mdh.mda<10x6, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[3, 1], [4, 2], [1, 3], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x6, f32> -> !mdh.mda<10x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<10x1, f32>, memref<10xf32>
  return
}
