// Prefix sums of parts.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.lowlevel.system @threads memory [MM: global, L1: cache] cores [COR: threads] combine [MM]

// The parts sequentially.
// CHECK:@sequential, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: 64 x f32
// CHECK-NEXT:level (2, 1) in a scan:
// CHECK-NEXT:  for p2_1 in 0..8:
// CHECK-NEXT:    level (3, 1) in a scan:
// CHECK-NEXT:      %0 = load input 1[8 * p2_1]
// CHECK-NEXT:      %1 = scalar (%0)
// CHECK-NEXT:      store %1 to output 1[8 * p2_1]
// CHECK-NEXT:      %2 = for p3_1 in 1..8 carrying (%3 = %1):
// CHECK-NEXT:        %4 = load input 1[8 * p2_1 + p3_1]
// CHECK-NEXT:        %5 = scalar (%4)
// CHECK-NEXT:        %6 = combine (%3) with (%5)
// CHECK-NEXT:        store %6 to output 1[8 * p2_1 + p3_1]
// CHECK-NEXT:        yield %6
// CHECK-NEXT:    if p2_1 > 0:
// CHECK-NEXT:      for p3_1 in 0..8:
// CHECK-NEXT:        %7 = load output 1[8 * (p2_1 - 1) + 7]
// CHECK-NEXT:        %8 = load output 1[8 * p2_1 + p3_1]
// CHECK-NEXT:        %9 = combine (%7) with (%8)
// CHECK-NEXT:        store %9 to output 1[8 * p2_1 + p3_1]
func.func @sequential(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @threads, parts = [[1], [8], [8]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}

// In three phases: all threads scan parts, then the prefix of each part is computed, then all threads add it to the parts.
// CHECK:@parallel, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: 64 x f32
// CHECK-NEXT:allocate part1: 8 x f32 on the stack
// CHECK-NEXT:level (1, 1) in a scan across threads:
// CHECK-NEXT:  parallel for p1_1 in 0..8:
// CHECK-NEXT:    level (2, 1) in a scan:
// CHECK-NEXT:      %0 = load input 1[8 * p1_1]
// CHECK-NEXT:      %1 = scalar (%0)
// CHECK-NEXT:      store %1 to output 1[8 * p1_1]
// CHECK-NEXT:      %2 = for p2_1 in 1..8 carrying (%3 = %1):
// CHECK-NEXT:        %4 = load input 1[8 * p1_1 + p2_1]
// CHECK-NEXT:        %5 = scalar (%4)
// CHECK-NEXT:        %6 = combine (%3) with (%5)
// CHECK-NEXT:        store %6 to output 1[8 * p1_1 + p2_1]
// CHECK-NEXT:        yield %6
// CHECK-NEXT:  for p1_1 in 1..8:
// CHECK-NEXT:    %7 = load output 1[8 * (p1_1 - 1) + 7]
// CHECK-NEXT:    %8 = if p1_1 - 1 > 0:
// CHECK-NEXT:      %9 = load part1[p1_1 - 1]
// CHECK-NEXT:      %10 = combine (%9) with (%7)
// CHECK-NEXT:      yield %10
// CHECK-NEXT:    else:
// CHECK-NEXT:      yield %7
// CHECK-NEXT:    store %8 to part1[p1_1]
// CHECK-NEXT:  parallel for p1_1 in 0..7:
// CHECK-NEXT:    for p2_1 in 0..8:
// CHECK-NEXT:      %11 = load part1[p1_1 + 1]
// CHECK-NEXT:      %12 = load output 1[8 * (p1_1 + 1) + p2_1]
// CHECK-NEXT:      %13 = combine (%11) with (%12)
// CHECK-NEXT:      store %13 to output 1[8 * (p1_1 + 1) + p2_1]
func.func @parallel(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @threads, parts = [[8], [8], [1]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
