// Threads combine values through shared memory if a system has no warps.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

// Each thread of one half combines its value with one of the other half; one thread reads the values of the last eight.
// CHECK:@sum, computation 1:
// CHECK-NEXT:input 1: 32 x f32
// CHECK-NEXT:output 1: f32
// CHECK:kernel blocks (1, 1, 1) threads (32, 1, 1):
// CHECK-NEXT:  map level (2, 1) to threads: thread.x
// CHECK-NEXT:  allocate part1: 32 x f32, shared
// CHECK-NEXT:  level (2, 1) in a tree across threads:
// CHECK-NEXT:    %0 = load device input 1[thread.x]
// CHECK-NEXT:    %1 = scalar (%0)
// CHECK-NEXT:    barrier
// CHECK-NEXT:    store %1 to part1[thread.x]
// CHECK-NEXT:    barrier
// CHECK-NEXT:    if thread.x < 16 and thread.x + 16 < 32:
// CHECK-NEXT:      %2 = load part1[thread.x]
// CHECK-NEXT:      %3 = load part1[thread.x + 16]
// CHECK-NEXT:      %4 = combine (%2) with (%3)
// CHECK-NEXT:      store %4 to part1[thread.x]
// CHECK-NEXT:    barrier
// CHECK-NEXT:    if thread.x < 8 and thread.x + 8 < 32:
// CHECK-NEXT:      %5 = load part1[thread.x]
// CHECK-NEXT:      %6 = load part1[thread.x + 8]
// CHECK-NEXT:      %7 = combine (%5) with (%6)
// CHECK-NEXT:      store %7 to part1[thread.x]
// CHECK-NEXT:    barrier
// CHECK-NEXT:    %8 = load part1[thread.x]
// CHECK-NEXT:    %9 = if thread.x == 0:
// CHECK-NEXT:      %10 = for i0 in 1..8 carrying (%11 = %8):
// CHECK-NEXT:        %12 = load part1[thread.x + i0]
// CHECK-NEXT:        %13 = combine (%11) with (%12)
// CHECK-NEXT:        yield %13
// CHECK-NEXT:      yield %10
// CHECK-NEXT:    else:
// CHECK-NEXT:      yield %8
// CHECK-NEXT:    if thread.x == 0:
// CHECK-NEXT:      store %9 to device output 1[]
func.func @sum(%x: memref<32xf32>, %y: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<32xf32>) -> !mdh.mda<32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1], [32], [1], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %y : !mdh.mda<1, f32>, memref<f32>
  return
}
