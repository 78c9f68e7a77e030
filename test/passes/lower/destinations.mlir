// A destination is transferred to the device only if some of its elements may keep their value.
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=cuda --canonicalize --cse | FileCheck %s --implicit-check-not=gpu.memcpy

mdh.lowlevel.system @blocks memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

// For static sizes, this is known.
// CHECK-LABEL: func.func @known(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>, %[[W:[^:]*]]: memref<8xf32>
// CHECK: gpu.memcpy %{{.*}}, %[[X]]
// CHECK: gpu.launch
// CHECK: gpu.memcpy %[[W]]
func.func @known(%x: memref<8xf32>, %w: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @blocks,
      parts = [[8], [1], [1], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, f32>, memref<8xf32>
  return
}

// Dynamic sizes are compared with the extents.
// CHECK-LABEL: func.func @compared(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x4xf32>, %[[W:[^:]*]]: memref<?x1x4xf32>
// CHECK: %[[EXTENT:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[SIZE:.*]] = memref.dim %[[W]], %c0
// CHECK: %[[DEVICE:.*]] = gpu.alloc{{.*}}"output 1"
// CHECK: gpu.memcpy %{{.*}}, %[[X]]
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[EXTENT]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[SIZE]], %[[EXTENT]]
// CHECK: %[[ALL:.*]] = arith.andi %[[SOME]], %[[SAME]]
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: gpu.memcpy %[[DEVICE]], %[[W]]
// CHECK-NEXT: }
// CHECK: gpu.launch
// CHECK: gpu.memcpy %[[W]], %[[DEVICE]]
func.func @compared(%x: memref<?x4xf32>, %w: memref<?x1x4xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<?x4xf32>) -> !mdh.mda<?x4, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @blocks,
      parts = [["?", 4], [1, 1], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x4, f32> -> !mdh.mda<?x4, f32>
  mdh.view.out_view %r[affine_map<(i, j) -> (i, 0, j)>] into %w : !mdh.mda<?x4, f32>, memref<?x1x4xf32>
  return
}

// Every second element keeps its value.
// CHECK-LABEL: func.func @some(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>, %[[W:[^:]*]]: memref<?xf32>
// CHECK: %[[DEVICE:.*]] = gpu.alloc{{.*}}"output 1"
// CHECK: gpu.memcpy %{{.*}}, %[[X]]
// CHECK-NOT: scf.if
// CHECK: gpu.memcpy %[[DEVICE]], %[[W]]
// CHECK: gpu.launch
// CHECK: gpu.memcpy %[[W]], %[[DEVICE]]
func.func @some(%x: memref<?xf32>, %w: memref<?xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @blocks,
      parts = [["?"], [1], [1], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (2 * i)>] into %w : !mdh.mda<?, f32>, memref<?xf32>
  return
}
