// The next part of an input is copied to shared memory while the current one is computed.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

// Two buffer slots: the first part is copied before the loop, each other one while the part before it is computed.
// CHECK:@two, computation 1:
// CHECK-NEXT:input 1: 4 x 32 x f32
// CHECK-NEXT:output 1: 4 x f32
// CHECK:kernel blocks (1, 1, 1) threads (4, 1, 1):
// CHECK-NEXT:  map level (5, 1) to threads: thread.x
// CHECK-NEXT:  allocate part1: 2 x 4 x 4 x f32, shared
// CHECK-NEXT:  level (1, 2) carried:
// CHECK-NEXT:    %0 = identity
// CHECK-NEXT:    %1 = for p1_2 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:      barrier
// CHECK-NEXT:      if p1_2 == 0:
// CHECK-NEXT:        promote input 1 to SM[1, 2] buffers 2:
// CHECK-NEXT:          begin to copy 4 of device input 1[i32(4 * thread.x) / 4, 4 * p1_2 + i32(4 * thread.x) % 4] to part1[p1_2 % 2, i32(4 * thread.x) / 4, i32(4 * thread.x) % 4]
// CHECK-NEXT:      %3 = group copies
// CHECK-NEXT:      if p1_2 + 1 < 8:
// CHECK-NEXT:        promote input 1 to SM[1, 2] buffers 2:
// CHECK-NEXT:          begin to copy 4 of device input 1[i32(4 * thread.x) / 4, 4 * (p1_2 + 1) + i32(4 * thread.x) % 4] to part1[(p1_2 + 1) % 2, i32(4 * thread.x) / 4, i32(4 * thread.x) % 4]
// CHECK-NEXT:      %4 = group copies
// CHECK-NEXT:      wait for copies (%4), groups left: 1
// CHECK-NEXT:      barrier
// CHECK-NEXT:      %5 = for p2_2 in 0..4 carrying (%6 = %2):
// CHECK-NEXT:        %7 = load part1[p1_2 % 2, thread.x, p2_2]
// CHECK-NEXT:        %8 = scalar (%7)
// CHECK-NEXT:        %9 = accumulate (%6) with (%8)
// CHECK-NEXT:        yield %9
// CHECK-NEXT:      yield %5
// CHECK-NEXT:    store %1 to device output 1[thread.x]
func.func @two(%M: memref<4x32xf32>, %w: memref<4xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x32xf32>) -> !mdh.mda<4x32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 8], [1, 4], [1, 1], [1, 1], [4, 1]],
      decompose = {tags = [["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"]]]},
      scalar = {reads = ["SM[1, 2] buffers 2"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x32, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}

// One buffer slot: each part is copied between two barriers.
// CHECK:@one, computation 1:
// CHECK-NEXT:input 1: 4 x 32 x f32
// CHECK-NEXT:output 1: 4 x f32
// CHECK:kernel blocks (1, 1, 1) threads (4, 1, 1):
// CHECK-NEXT:  map level (5, 1) to threads: thread.x
// CHECK-NEXT:  allocate part1: 4 x 4 x f32, shared
// CHECK-NEXT:  level (1, 2) carried:
// CHECK-NEXT:    %0 = identity
// CHECK-NEXT:    %1 = for p1_2 in 0..8 carrying (%2 = %0):
// CHECK-NEXT:      barrier
// CHECK-NEXT:      promote input 1 to SM[1, 2]:
// CHECK-NEXT:        %3 = load 4 of device input 1[i32(4 * thread.x) / 4, 4 * p1_2 + i32(4 * thread.x) % 4], aligned to 16
// CHECK-NEXT:        store %3 to 4 of part1[i32(4 * thread.x) / 4, i32(4 * thread.x) % 4], aligned to 16
// CHECK-NEXT:      barrier
// CHECK-NEXT:      %4 = for p2_2 in 0..4 carrying (%5 = %2):
// CHECK-NEXT:        %6 = load part1[thread.x, p2_2]
// CHECK-NEXT:        %7 = scalar (%6)
// CHECK-NEXT:        %8 = accumulate (%5) with (%7)
// CHECK-NEXT:        yield %8
// CHECK-NEXT:      yield %4
// CHECK-NEXT:    store %1 to device output 1[thread.x]
func.func @one(%M: memref<4x32xf32>, %w: memref<4xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x32xf32>) -> !mdh.mda<4x32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 8], [1, 4], [1, 1], [1, 1], [4, 1]],
      decompose = {tags = [["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"]]]},
      scalar = {reads = ["SM[1, 2]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x32, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}
