// Scans whose parts are distributed over blocks.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

mdh.hom.operator @second (%a: f32, %b: f32) -> (f32) {
  mdh.hom.yield %b : f32
}

// For a built-in operator, blocks reduce their parts, and read them again to scan them.
// CHECK:@built_in, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: 64 x f32
// CHECK:allocate part1: 4 x f32 on the device
// CHECK-NEXT:level (1, 1) in a scan across blocks:
// CHECK-NEXT:  kernel blocks (4, 1, 1) threads (1, 1, 1):
// CHECK-NEXT:    map level (1, 1) to blocks: block.x
// CHECK-NEXT:    level (3, 1) carried:
// CHECK-NEXT:      %0 = identity
// CHECK-NEXT:      %1 = for p3_1 in 0..16 carrying (%2 = %0):
// CHECK-NEXT:        %3 = load device input 1[16 * block.x + p3_1]
// CHECK-NEXT:        %4 = scalar (%3)
// CHECK-NEXT:        %5 = accumulate (%2) with (%4)
// CHECK-NEXT:        yield %5
// CHECK-NEXT:      store %1 to part1[block.x]
// CHECK-NEXT:  kernel blocks (1, 1, 1) threads (3, 1, 1):
// CHECK:  kernel blocks (4, 1, 1) threads (1, 1, 1):
// CHECK-NEXT:    map level (1, 1) to blocks: block.x
// CHECK-NEXT:    level (3, 1) in a scan:
// CHECK-NEXT:      %[[V23:[0-9]+]] = load device input 1[16 * block.x]
// CHECK-NEXT:      %[[V24:[0-9]+]] = scalar (%[[V23]])
// CHECK-NEXT:      store %[[V24]] to device output 1[16 * block.x]
// CHECK-NEXT:      %[[V25:[0-9]+]] = for p3_1 in 1..16 carrying (%[[V26:[0-9]+]] = %[[V24]]):
// CHECK-NEXT:        %[[V27:[0-9]+]] = load device input 1[16 * block.x + p3_1]
// CHECK-NEXT:        %[[V28:[0-9]+]] = scalar (%[[V27]])
// CHECK-NEXT:        %[[V29:[0-9]+]] = combine (%[[V26]]) with (%[[V28]])
// CHECK-NEXT:        store %[[V29]] to device output 1[16 * block.x + p3_1]
// CHECK-NEXT:        yield %[[V29]]
// CHECK-NEXT:    if block.x > 0:
// CHECK-NEXT:      for i0 in 0..16:
// CHECK-NEXT:        %[[V30:[0-9]+]] = load part1[block.x - 1]
// CHECK-NEXT:        %[[V31:[0-9]+]] = load device output 1[16 * block.x + i0]
// CHECK-NEXT:        %[[V32:[0-9]+]] = combine (%[[V30]]) with (%[[V31]])
// CHECK-NEXT:        store %[[V32]] to device output 1[16 * block.x + i0]
// CHECK-NEXT:free part1
func.func @built_in(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @cuda, parts = [[4], [1], [16], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}

// For a user-defined operator, blocks scan their parts, and combine the prefix with each element.
// CHECK:@of_the_user, computation 1:
// CHECK-NEXT:input 1: 64 x f32
// CHECK-NEXT:output 1: 64 x f32
// CHECK:allocate part1: 4 x f32 on the device
// CHECK-NEXT:level (1, 1) in a scan across blocks:
// CHECK-NEXT:  kernel blocks (4, 1, 1) threads (1, 1, 1):
// CHECK-NEXT:    map level (1, 1) to blocks: block.x
// CHECK-NEXT:    level (3, 1) in a scan:
// CHECK-NEXT:      %0 = load device input 1[16 * block.x]
// CHECK-NEXT:      %1 = scalar (%0)
// CHECK-NEXT:      store %1 to device output 1[16 * block.x]
// CHECK-NEXT:      %2 = for p3_1 in 1..16 carrying (%3 = %1):
// CHECK-NEXT:        %4 = load device input 1[16 * block.x + p3_1]
// CHECK-NEXT:        %5 = scalar (%4)
// CHECK-NEXT:        %6 = combine (%3) with (%5)
// CHECK-NEXT:        store %6 to device output 1[16 * block.x + p3_1]
// CHECK-NEXT:        yield %6
// CHECK-NEXT:  kernel blocks (1, 1, 1) threads (3, 1, 1):
// CHECK:  kernel blocks (1, 1, 1) threads (128, 1, 1):
// CHECK-NEXT:    if thread.x < 64:
// CHECK-NEXT:      if i32(thread.x) / 16 > 0:
// CHECK-NEXT:        %[[V24:[0-9]+]] = load part1[i32(thread.x) / 16 - 1]
// CHECK-NEXT:        %[[V25:[0-9]+]] = load device output 1[16 * (i32(thread.x) / 16) + i32(thread.x) % 16]
// CHECK-NEXT:        %[[V26:[0-9]+]] = combine (%[[V24]]) with (%[[V25]])
// CHECK-NEXT:        store %[[V26]] to device output 1[16 * (i32(thread.x) / 16) + i32(thread.x) % 16]
// CHECK-NEXT:free part1
func.func @of_the_user(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<@second>] attributes {schedule = {system = @cuda, parts = [[4], [1], [16], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
