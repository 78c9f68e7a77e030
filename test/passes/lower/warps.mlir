// Threads of a warp combine values by shuffles; if several warps have partial results, one warp combines them.
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=cuda --canonicalize --cse | FileCheck %s

// 64 threads: each sums 16 elements, then two warps reduce, then the first warp.
// CHECK-LABEL: func.func @sum
// CHECK-DAG: %[[HALF:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: gpu.launch {{.*}} threads(%[[T:[a-z0-9]+]], {{.*}} workgroup(%[[X:.*]] : memref<64xf32, #gpu.address_space<workgroup>>)
// CHECK: gpu.shuffle down %{{.*}}, %[[HALF]], %c32_i32 : f32
// CHECK-COUNT-3: gpu.shuffle down {{.*}} : f32
// CHECK: gpu.shuffle down %{{.*}}, %[[ONE]], %c32_i32 : f32
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[X]][%[[T]]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[X]]
// CHECK: gpu.shuffle down %{{.*}}, %[[ONE]], %c32_i32 : f32
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
mdh.lowlevel.system @many memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]
func.func @sum(%x: memref<1024xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1024xf32>) -> !mdh.mda<1024, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @many,
      parts = [[1], [1], [64], [16], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1024, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}

// A scan in one warp has only the last barrier; 64-bit values are two words.
// CHECK-LABEL: func.func @scan
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: gpu.shuffle up {{.*}} : i32
// CHECK: arith.shrui %{{.*}} : i64
// CHECK: gpu.shuffle up {{.*}} : i32
// CHECK-COUNT-10: gpu.shuffle up {{.*}} : i32
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NEXT: gpu.terminator
func.func @scan(%x: memref<1024xi64>, %s: memref<1024xi64>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1024xi64>) -> !mdh.mda<1024, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @many,
      parts = [[1], [1], [32], [32], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: i64):
    mdh.hom.yield %a : i64
  } : !mdh.mda<1024, i64> -> !mdh.mda<1024, i64>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %s : !mdh.mda<1024, i64>, memref<1024xi64>
  return
}

// A warp of 20 threads is filled up, so that all lanes take part in shuffles.
// CHECK-LABEL: func.func @filled
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{[a-z0-9]+}} = %c32, %{{[a-z0-9]+}} = %c1, %{{[a-z0-9]+}} = %c1)
// CHECK: gpu.shuffle down
func.func @filled(%x: memref<1000xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1000xf32>) -> !mdh.mda<1000, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<max>] attributes {schedule = {system = @many,
      parts = [[1], [1], [20], [50], [1], [1]],
      decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1000, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}

// Sums over 8 warps whose lanes have different rows: between two barriers, a thread of the first warp reads all partial results of its row.
// CHECK-LABEL: func.func @apart
// CHECK: gpu.launch {{.*}} threads(%[[T:[a-z0-9]+]], {{.*}} = %c256, {{.*}} workgroup(%[[X:.*]] : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK: gpu.barrier
// CHECK-NEXT: memref.store %{{.*}}, %[[X]][%[[T]]]
// CHECK-NEXT: gpu.barrier
// CHECK: memref.load %[[X]][%[[T]]]
// CHECK: scf.if
// CHECK: scf.for %[[W:.*]] = %c1 to %c8 step %c1
// CHECK: %[[AHEAD:.*]] = arith.muli %[[W]], %c32
// CHECK: %[[OTHER:.*]] = arith.addi %[[T]], %[[AHEAD]]
// CHECK: memref.load %[[X]][%[[OTHER]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
func.func @apart(%x: memref<32x64xf32>, %s: memref<32xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<32x64xf32>) -> !mdh.mda<32x64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @many,
      parts = [[1, 1], [1, 8], [32, 1], [1, 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["WRP,x", "WRP,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32x64, f32> -> !mdh.mda<32x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %s : !mdh.mda<32x1, f32>, memref<32xf32>
  return
}

// Scans of rows that are distributed over 8 warps: a thread reads the partial results of its row from the warps before it.
// CHECK-LABEL: func.func @before
// CHECK: gpu.launch {{.*}} threads(%[[T:[a-z0-9]+]], {{.*}} = %c256, {{.*}} workgroup(%[[X:.*]] : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK: gpu.barrier
// CHECK-NEXT: memref.store %{{.*}}, %[[X]][%[[T]]]
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: scf.for %[[W:.*]] = %c1 to %{{.*}} step %c1
// CHECK: memref.load %[[X]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
func.func @before(%x: memref<32x64xf32>, %s: memref<32x64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<32x64xf32>) -> !mdh.mda<32x64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<add>] attributes {schedule = {system = @many,
      parts = [[1, 1], [1, 8], [32, 1], [1, 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["WRP,x", "WRP,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32x64, f32> -> !mdh.mda<32x64, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i, k)>] into %s : !mdh.mda<32x64, f32>, memref<32x64xf32>
  return
}
