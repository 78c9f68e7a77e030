// mdh explain and the lowering print the same text for the nest of a computation; explain has a legend below.
// RUN: mdh explain %s --nest --function matvec --system openmp | FileCheck %s --check-prefix=HOST --match-full-lines --strict-whitespace
// RUN: mdh explain %s --nest --function matvec --system openmp | sed '/^$/,$d' > %t.explained
// RUN: mdh compile %s --function matvec --system openmp --emit bufferize | mdh-opt --mdh-lower=print-nest -o %t.unused 2>&1 | sed '/^$/,$d' > %t.printed
// RUN: diff %t.explained %t.printed
// RUN: mdh-opt %s --lower-mdh="system=openmp stop-after=loops" -o %t.without
// RUN: mdh-opt %s --lower-mdh="system=openmp stop-after=loops print-nest=true" -o %t.with 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: diff %t.without %t.with
// RUN: mdh-opt %s --lower-mdh="system=openmp stop-after=loops" -o %t.without 2>&1 | count 0
// RUN: mdh explain %s --nest --function matvec --schedule %examples/schedules/matvec_warps.json | FileCheck %s --check-prefix=WARPS --match-full-lines --strict-whitespace
// RUN: mdh explain %s --nest --function matvec --schedule %examples/schedules/matvec_warps.json --target cpu | FileCheck %s --check-prefix=OF-HOST
// RUN: mdh explain %s --nest --function scan --system openmp | FileCheck %s --check-prefix=SCAN --match-full-lines --strict-whitespace
// RUN: mdh explain %s --nest --function blocks | FileCheck %s --check-prefix=BLOCKS
// RUN: mdh explain %s --nest --function tile | FileCheck %s --check-prefix=TILE --match-full-lines --strict-whitespace

// MatVec on the host: levels with one part are no loops.
// HOST:@matvec, computation 1:
// HOST-NEXT:input 1: 512 x 4096 x f32
// HOST-NEXT:input 2: 4096 x f32
// HOST-NEXT:output 1: 512 x f32
// HOST-NEXT:parallel for p1_1 in 0..64:
// HOST-NEXT:  for p2_1 in 0..8:
// HOST-NEXT:    level (2, 2) carried:
// HOST-NEXT:      %0 = identity
// HOST-NEXT:      %1 = for p2_2 in 0..4096 carrying (%2 = %0):
// HOST-NEXT:        %3 = load input 1[8 * p1_1 + p2_1, p2_2]
// HOST-NEXT:        %4 = load input 2[p2_2]
// HOST-NEXT:        %5 = scalar (%3, %4)
// HOST-NEXT:        %6 = accumulate (%2) with (%5)
// HOST-NEXT:        yield %6
// HOST-NEXT:      store %1 to output 1[8 * p1_1 + p2_1]

// MatVec on warps: a row for each warp, whose threads distribute the columns and combine their sums by shuffles.
// WARPS:@matvec, computation 1:
// WARPS-NEXT:input 1: 512 x 4096 x f32
// WARPS-NEXT:input 2: 4096 x f32
// WARPS-NEXT:output 1: 512 x f32
// WARPS-NEXT:allocate device input 1: 512 x 4096 x f32 on the device
// WARPS-NEXT:allocate device input 2: 4096 x f32 on the device
// WARPS-NEXT:allocate device output 1: 512 x f32 on the device
// WARPS-NEXT:transfer input 1 to device input 1
// WARPS-NEXT:transfer input 2 to device input 2
// WARPS-NEXT:kernel blocks (64, 1, 1) threads (256, 1, 1):
// WARPS-NEXT:  map level (1, 1) to blocks: block.x
// WARPS-NEXT:  map level (2, 1) to warps: i32(thread.x) / 32
// WARPS-NEXT:  map level (6, 2) to threads: i32(thread.x) % 32
// WARPS-NEXT:  level (6, 2) in a tree across threads:
// WARPS-NEXT:    %0 = identity
// WARPS-NEXT:    %1 = for p3_2 in 0..128 carrying (%2 = %0):
// WARPS-NEXT:      %3 = load device input 1[8 * block.x + i32(thread.x) / 32, i32(thread.x) % 32 + 32 * p3_2]
// WARPS-NEXT:      %4 = load device input 2[i32(thread.x) % 32 + 32 * p3_2]
// WARPS-NEXT:      %5 = scalar (%3, %4)
// WARPS-NEXT:      %6 = accumulate (%2) with (%5)
// WARPS-NEXT:      yield %6
// WARPS-NEXT:    %7 = shuffle %1 from thread + 16
// WARPS-NEXT:    %8 = if i32(thread.x) % 32 < 16 and i32(thread.x) % 32 + 16 < 32:
// WARPS-NEXT:      %9 = combine (%1) with (%7)
// WARPS-NEXT:      yield %9
// WARPS-NEXT:    else:
// WARPS-NEXT:      yield %1
// WARPS-NEXT:    %10 = shuffle %8 from thread + 8
// WARPS:    if i32(thread.x) % 32 == 0:
// WARPS-NEXT:      store %20 to device output 1[8 * block.x + i32(thread.x) / 32]
// WARPS-NEXT:transfer device output 1 to output 1
// WARPS-NEXT:free device input 1
// WARPS-NEXT:free device input 2
// WARPS-NEXT:free device output 1

// The same schedule runs on a host.
// OF-HOST: parallel for p1_1 in 0..64:
// OF-HOST-NOT: kernel

// ALL-DAG: @matvec, computation 1:
// ALL-DAG: @scan, computation 1:
// ALL-DAG: @blocks, computation 1:
// ALL-DAG: @tile, computation 1:

// SCAN:@scan, computation 1:
// SCAN-NEXT:input 1: ? x f32
// SCAN-NEXT:allocate output 1: max(0, (size(input 1, 0) - 1 + 1) * min(1, size(input 1, 0))) x f32 for the user
// SCAN-NEXT:allocate part1: 16 x f32 on the stack
// SCAN-NEXT:level (1, 1) in a scan across threads:
// SCAN-NEXT:  parallel for p1_1 in 0..{{.*}}:
// SCAN-NEXT:    level (2, 1) in a scan:
// SCAN-NEXT:      if {{.*}} > 0:
// SCAN-NEXT:        %0 = load input 1[{{.*}}]
// SCAN-NEXT:        %1 = scalar (%0)
// SCAN-NEXT:        store %1 to output 1[{{.*}}]
// SCAN-NEXT:        %2 = for p2_1 in 1..{{.*}} carrying (%3 = %1):
// SCAN-NEXT:          %4 = load input 1[{{.*}}]
// SCAN-NEXT:          %5 = scalar (%4)
// SCAN-NEXT:          %6 = combine (%3) with (%5)
// SCAN-NEXT:          store %6 to output 1[{{.*}}]
// SCAN-NEXT:          yield %6
// SCAN-NEXT:  for p1_1 in 1..{{.*}}:
// SCAN-NEXT:    %7 = load output 1[{{.*}}]
// SCAN-NEXT:    %8 = if p1_1 - 1 > 0:
// SCAN-NEXT:      %9 = load part1[p1_1 - 1]
// SCAN-NEXT:      %10 = combine (%9) with (%7)
// SCAN-NEXT:      yield %10
// SCAN-NEXT:    else:
// SCAN-NEXT:      yield %7
// SCAN-NEXT:    store %8 to part1[p1_1]
// SCAN-NEXT:  parallel for p1_1 in 0..{{.*}} - 1):
// SCAN-NEXT:    for p2_1 in 0..{{.*}}:
// SCAN-NEXT:      %11 = load part1[p1_1 + 1]
// SCAN-NEXT:      %12 = load output 1[{{.*}}]
// SCAN-NEXT:      %13 = combine (%11) with (%12)
// SCAN-NEXT:      store %13 to output 1[{{.*}}]

// BLOCKS: {{^}}level (1, 1) in a scan across blocks:
// BLOCKS-NEXT: {{^}}  kernel blocks (65, 1, 1) threads (32, 1, 1):
// BLOCKS-NEXT: {{^}}    map level (1, 1) to blocks: block.x
// BLOCKS-NEXT: {{^}}    map level (3, 1) to threads: thread.x
// BLOCKS-NEXT: {{^}}    level (3, 1) in a tree across threads:
// BLOCKS: for p4_1 in 0..4 carrying
// BLOCKS: store %{{[0-9]+}} to part1[block.x]
// BLOCKS-NEXT: {{^}}  kernel blocks (1, 1, 1) threads (64, 1, 1):
// BLOCKS-NEXT: allocate part2: 64 x f32, shared
// BLOCKS: {{^}}    barrier
// BLOCKS: {{^}}  kernel blocks (65, 1, 1) threads (32, 1, 1):
// BLOCKS-NEXT: {{^}}    map level (1, 1) to blocks: block.x
// BLOCKS-NEXT: {{^}}    map level (3, 1) to threads: thread.x
// BLOCKS-NEXT: {{^}}    level (3, 1) in a scan across threads:
// BLOCKS-NEXT: {{^}}      level (4, 1) in a scan:
// BLOCKS: {{^}}    if block.x > 0:
// BLOCKS: {{^}}free part1

// TILE:@tile, computation 1:
// TILE-NEXT:input 1: 8 x 32 x f32
// TILE-NEXT:input 2: 32 x 16 x f32
// TILE-NEXT:output 1: 8 x 16 x f32
// TILE-NEXT:for p2_1 in 0..4:
// TILE-NEXT:  unroll level (4, 1) by 2, vectorize level (5, 2) by 16:
// TILE-NEXT:    level (2, 3) carried:
// TILE-NEXT:      %0 = identity
// TILE-NEXT:      %1 = broadcast %0
// TILE-NEXT:      %2, %3 = for p2_3 in 0..32 carrying (%4 = %1, %5 = %1):
// TILE-NEXT:        %6 = load input 1[2 * p2_1, p2_3]
// TILE-NEXT:        %7 = load 16 of input 2[p2_3, 0]
// TILE-NEXT:        %8 = scalar (%6, %7) on 16 lanes
// TILE-NEXT:        %9 = load input 1[2 * p2_1 + 1, p2_3]
// TILE-NEXT:        %10 = scalar (%9, %7) on 16 lanes
// TILE-NEXT:        %11 = combine (%4) with (%8) on 16 lanes
// TILE-NEXT:        %12 = combine (%5) with (%10) on 16 lanes
// TILE-NEXT:        yield %11, %12
// TILE-NEXT:      store %2 to 16 of output 1[2 * p2_1, 0]
// TILE-NEXT:      store %3 to 16 of output 1[2 * p2_1 + 1, 0]

#ik = affine_map<(i, k) -> (i, k)>
#k = affine_map<(i, k) -> (k)>
#i = affine_map<(i, k) -> (i)>
#x = affine_map<(i) -> (i)>

mdh.lowlevel.system @many memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]
mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  %in = mdh.view.inp_view %M[#ik], %v[#k] : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %w = mdh.view.out_view %r[#i] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %w : tensor<512xf32>
}

// A prefix sum of dynamic length, and the values derived from it.
func.func @scan(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[#x] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %r[#x] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// Blocks reduce their parts, one block scans the sums, and all blocks scan their parts.
func.func @blocks(%x: tensor<8320xf32>) -> tensor<8320xf32> {
  %in = mdh.view.inp_view %x[#x] : (tensor<8320xf32>) -> !mdh.mda<8320, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @many,
      parts = [[65], [1], [32], [4], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8320, f32> -> !mdh.mda<8320, f32>
  %w = mdh.view.out_view %r[#x] : !mdh.mda<8320, f32> -> tensor<8320xf32>
  return %w : tensor<8320xf32>
}

// A register tile of 2 x 16 sums.
func.func @tile(%A: tensor<8x32xf32>, %B: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<8x32xf32>, tensor<32x16xf32>) -> !mdh.mda<8x16x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [4, 1, 32], [1, 1, 1], [2, 1, 1], [1, 16, 1]],
      decompose = {order = [[1, 2, 3], [4, 5, 15], [6, 7, 8], [9, 10, 11], [12, 13, 14]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"],
                           ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x16x32, f32, f32> -> !mdh.mda<8x16x1, f32>
  %C = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<8x16x1, f32> -> tensor<8x16xf32>
  return %C : tensor<8x16xf32>
}
