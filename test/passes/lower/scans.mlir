// Scans over blocks and warps: no thread traverses serially while others wait.
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=cuda --canonicalize --cse | FileCheck %s
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-keep-order --mdh-lower="target=cuda" --canonicalize --cse | FileCheck %s --check-prefix=STRICT

mdh.lowlevel.system @many memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]

mdh.hom.operator @second (%a: f32, %b: f32) -> (f32) {
  mdh.hom.yield %b : f32
}

// Blocks reduce their parts, and write only sums. 64 threads compute the prefixes of 65 parts by a scan. Then blocks scan their parts, and all of
// their threads add the prefix. With a strict order, the results of scans are used.
// STRICT-LABEL: func.func @blocks
// STRICT: %[[W:.*]] = gpu.alloc {{.*}} "output 1"
// STRICT: gpu.launch
// STRICT: memref.store %{{.*}}, %[[W]]
// STRICT: gpu.launch
// STRICT: memref.load %[[W]]
// STRICT: gpu.launch
// CHECK-LABEL: func.func @blocks
// CHECK: %[[W:.*]] = gpu.alloc {{.*}} "output 1"
// CHECK: %[[SUMS:.*]] = gpu.alloc {{.*}} "temporary"{{.*}} memref<65xf32>
// CHECK: gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c65,
// CHECK-NOT: %[[W]]
// CHECK: memref.store %{{.*}}, %[[SUMS]][
// CHECK-NOT: %[[W]]
// CHECK: gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c1, {{.*}}) threads({{.*}}) in (%{{[a-z0-9]+}} = %c64,
// CHECK-NOT: scf.for
// CHECK: memref.load %[[SUMS]]
// CHECK-NOT: scf.for
// CHECK-COUNT-6: gpu.shuffle up
// CHECK-NOT: scf.for
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK-NOT: scf.for
// CHECK: gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c65, {{.*}}) threads(%[[T:[a-z0-9]+]],
// CHECK: memref.store %{{.*}}, %[[W]]
// CHECK: gpu.barrier
// CHECK: %[[LATER:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK: scf.if %[[LATER]]
// CHECK: scf.for %[[TURN:.*]] = %c0 to %c4 step %c1
// CHECK: %[[ALL:.*]] = arith.muli %[[TURN]], %c32
// CHECK: arith.addi %[[ALL]], %[[T]]
// CHECK: memref.load %[[SUMS]]
// CHECK: memref.store %{{.*}}, %[[W]]
// CHECK: gpu.terminator
func.func @blocks(%x: memref<8320xf32>, %w: memref<8320xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8320xf32>) -> !mdh.mda<8320, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @many,
      parts = [[65], [1], [32], [4], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8320, f32> -> !mdh.mda<8320, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<8320, f32>, memref<8320xf32>
  return
}

// A user-defined operator may require an order that reductions do not keep.
// CHECK-LABEL: func.func @ordered
// CHECK: %[[W:.*]] = gpu.alloc {{.*}} "output 1"
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[W]]
// CHECK: gpu.terminator
// CHECK: gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c1, {{.*}}) threads({{.*}}) in (%{{[a-z0-9]+}} = %c64,
// CHECK-NOT: scf.for
// CHECK: memref.load %[[W]]
// CHECK-NOT: scf.for
// CHECK: gpu.terminator
// CHECK: gpu.launch
// CHECK: memref.load %[[W]]
// CHECK: memref.store %{{.*}}, %[[W]]
func.func @ordered(%x: memref<1040xf32>, %w: memref<1040xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1040xf32>) -> !mdh.mda<1040, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<@second>] attributes {schedule = {system = @many,
      parts = [[65], [1], [1], [16], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1040, f32> -> !mdh.mda<1040, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<1040, f32>, memref<1040xf32>
  return
}

// Of 1000 parts for each of 3 scans, each of 256 threads has 4 adjacent ones.
// CHECK-LABEL: func.func @rows
// CHECK: gpu.terminator
// CHECK: gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c3, {{.*}}) threads({{.*}}) in (%{{[a-z0-9]+}} = %c256,
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c999
// CHECK: scf.for %{{.*}} to %[[END]] step %c1
// CHECK: gpu.shuffle up
// CHECK: scf.for %{{.*}} to %[[END]] step %c1
// CHECK: gpu.terminator
func.func @rows(%x: memref<3x2000xi32>, %w: memref<3x2000xi32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<3x2000xi32>) -> !mdh.mda<3x2000, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<max>] attributes {schedule = {system = @many,
      parts = [[1, 1000], [1, 1], [1, 1], [3, 2], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["WRP,x", "WRP,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<3x2000, i32> -> !mdh.mda<3x2000, i32>
  mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] into %w : !mdh.mda<3x2000, i32>, memref<3x2000xi32>
  return
}

// Each lane adds the prefix of its warp's part to its own results.
// CHECK-LABEL: func.func @warps
// CHECK-NOT: step %c1
// CHECK: scf.for %{{.*}} = %c1 to %c16 step %c1
// CHECK-NOT: %c512 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK-NOT: %c512 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK-NOT: step %c1
// CHECK: gpu.terminator
func.func @warps(%x: memref<2048xf32>, %w: memref<2048xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<2048xf32>) -> !mdh.mda<2048, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @many,
      parts = [[1], [4], [32], [16], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2048, f32> -> !mdh.mda<2048, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<2048, f32>, memref<2048xf32>
  return
}
