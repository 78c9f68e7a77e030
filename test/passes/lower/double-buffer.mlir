// The next part of an input is copied to shared memory while the current one is computed.
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=cuda --canonicalize --cse | FileCheck %s
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=opencl --canonicalize --cse | FileCheck %s --check-prefix=OPENCL

// The part of v for a tile of 8 columns has two buffer slots, and so has that of M, with row padding.
// CHECK-LABEL: func.func @matvec
// CHECK: gpu.launch {{.*}} workgroup(%[[M:.*]] : memref<4x11xf32, #gpu.address_space<workgroup>>, %[[V:.*]] : memref<2x8xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for %[[I:.*]] = %c0 to %c5
// CHECK-NEXT: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: %[[SLOT:.*]] = arith.remui %[[I]], %c2
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK: scf.if %[[FIRST]]
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], %[[V]][%[[SLOT]], %{{.*}}], 1
// CHECK: nvgpu.device_async_create_group
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[FOLLOWED:.*]] = arith.cmpi slt, %[[NEXT]], %c5
// CHECK: scf.if %[[FOLLOWED]]
// CHECK: %[[OTHER:.*]] = arith.remui %[[NEXT]], %c2
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], %[[V]][%[[OTHER]], %{{.*}}], 1
// CHECK: %[[GROUP:.*]] = nvgpu.device_async_create_group
// CHECK-NEXT: nvgpu.device_async_wait %[[GROUP]] {numGroups = 1 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: memref.load %[[V]][%[[SLOT]], %{{.*}}]
// CHECK: gpu.terminator

// OPENCL-LABEL: func.func @matvec
// OPENCL: memref<2x8xf32, #gpu.address_space<workgroup>>
// OPENCL-NOT: nvgpu
func.func @matvec(%M: memref<16x37xf32>, %v: memref<37xf32>, %w: memref<16xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<16x37xf32>, memref<37xf32>) -> !mdh.mda<16x37, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[4, 5], [1, 8], [1, 1], [1, 1], [4, 1]],
      decompose = {tags = [["SMX,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"], ["DM,x", "SMX,y"], ["CC,x", "CC,y"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["SM[1, 2] pad 3", "SM[1, 2] pad 3"], ["SM[1, 2] pad 3", "SM[1, 2] pad 3"], ["SM[1, 2] pad 3", "SM[1, 2] pad 3"], ["SM[1, 2] pad 3", "SM[1, 2] pad 3"]],
                            [["DM[1]", "DM[1]"], ["SM[1] buffers 2", "SM[1] buffers 2"], ["SM[1] buffers 2", "SM[1] buffers 2"], ["SM[1] buffers 2", "SM[1] buffers 2"], ["SM[1] buffers 2", "SM[1] buffers 2"]]]},
      scalar = {reads = ["SM[1, 2] pad 3", "SM[1] buffers 2"]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x37, f32, f32> -> !mdh.mda<16x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<16x1, f32>, memref<16xf32>
  return
}

// No loop encloses the copy: there is one slot. Elements of two bytes are not copied asynchronously.
// CHECK-LABEL: func.func @once
// CHECK: workgroup(%{{.*}} : memref<32xf16, #gpu.address_space<workgroup>>)
// CHECK-NOT: nvgpu
// CHECK-LABEL: func.func @halves
// CHECK: workgroup(%[[H:.*]] : memref<2x8xf16, #gpu.address_space<workgroup>>)
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: memref.store %{{.*}}, %[[H]]
func.func @once(%x: memref<32xf16>, %y: memref<32xf16>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<32xf16>) -> !mdh.mda<32, f16>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda,
      parts = [[1], [32], [1], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["RM,x"], ["DM,x"], ["SM,x"]],
                   reads = [[["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"]]]},
      scalar = {reads = ["SM[1] buffers 2"]}}} {
  ^bb0(%a: f16):
    mdh.hom.yield %a : f16
  } : !mdh.mda<32, f16> -> !mdh.mda<32, f16>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<32, f16>, memref<32xf16>
  return
}

func.func @halves(%x: memref<32xf16>, %y: memref<32xf16>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<32xf16>) -> !mdh.mda<32, f16>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda,
      parts = [[4], [8], [1], [1], [1]],
      decompose = {tags = [["DM,x"], ["CC,x"], ["RM,x"], ["SMX,x"], ["SM,x"]],
                   reads = [[["DM[1]"], ["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"]]]},
      scalar = {reads = ["SM[1] buffers 2"]}}} {
  ^bb0(%a: f16):
    mdh.hom.yield %a : f16
  } : !mdh.mda<32, f16> -> !mdh.mda<32, f16>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<32, f16>, memref<32xf16>
  return
}
