// Threads copy several adjacent elements of the user's buffer at once, at most 128 bits.
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower=target=cuda --canonicalize --cse | FileCheck %s

// 32 threads copy 256 elements of v and store them as they are; the rows of M, which are transposed, are stored one by one.
// CHECK-LABEL: func.func @matvec(
// CHECK: gpu.launch {{.*}} workgroup(%[[M:.*]] : memref<256x4xf32, #gpu.address_space<workgroup>>, %[[V:.*]] : memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: %[[X:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<128x1024xf32>, vector<4xf32>
// CHECK: %[[E:.*]] = vector.extract %[[X]][0]
// CHECK: memref.store %[[E]], %[[M]]
// CHECK: %[[E:.*]] = vector.extract %[[X]][3]
// CHECK: memref.store %[[E]], %[[M]]
// CHECK: %[[X:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
// CHECK: vector.store %[[X]], %[[V]][%{{.*}}] {alignment = 16 : i64}
func.func @matvec(%M: memref<128x1024xf32>, %v: memref<1024xf32>, %w: memref<128xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<128x1024xf32>, memref<1024xf32>) -> !mdh.mda<128x1024, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[32, 1], [1, 4], [1, 32], [1, 1], [4, 8]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"], ["CC,y", "CC,x"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"], ["SM[2, 1]", "SM[2, 1]"]],
                            [["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]},
      scalar = {reads = ["SM[2, 1]", "SM[1]"]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<128x1024, f32, f32> -> !mdh.mda<128x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<128x1, f32>, memref<128xf32>
  return
}

// Rows of 1022 elements are aligned to two elements only; elements of one bit are not copied together.
// CHECK-LABEL: func.func @rows
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<128x1022xf32>, vector<2xf32>
// CHECK-NOT: vector.load {{.*}}i1
func.func @rows(%M: memref<128x1022xf32>, %v: memref<1022xi1>, %w: memref<128xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<128x1022xf32>, memref<1022xi1>) -> !mdh.mda<128x1022, f32, i1>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[32, 1], [1, 4], [1, 32], [1, 1], [4, 8]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"], ["CC,y", "CC,x"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]"]],
                            [["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]},
      scalar = {reads = ["SM[1, 2]", "SM[1]"]}}} {
  ^bb0(%a: f32, %b: i1):
    %zero = arith.constant 0.0 : f32
    %p = arith.select %b, %a, %zero : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<128x1022, f32, i1> -> !mdh.mda<128x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<128x1, f32>, memref<128xf32>
  return
}

// Asynchronous copies take 128 bits, too.
// CHECK-LABEL: func.func @ahead
// CHECK: nvgpu.device_async_copy %{{.*}}, 4
func.func @ahead(%v: memref<1024xf32>, %w: memref<f32>) {
  %in = mdh.view.inp_view %v[affine_map<(k) -> (k)>] : (memref<1024xf32>) -> !mdh.mda<1024, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[1], [8], [4], [1], [32]],
      decompose = {tags = [["SMX,x"], ["DM,x"], ["SM,x"], ["RM,x"], ["CC,x"]],
                   reads = [[["DM[1]"], ["DM[1]"], ["SM[1] buffers 2"], ["SM[1] buffers 2"], ["SM[1] buffers 2"]]]},
      scalar = {reads = ["SM[1] buffers 2"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1024, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(k) -> ()>] into %w : !mdh.mda<1, f32>, memref<f32>
  return
}
