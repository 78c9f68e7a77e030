// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --canonicalize --cse | FileCheck %s

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

// A dimension that a layout names twice is split into register tiles: here of two vectors of 16 columns. If all columns fit
// into whole tiles, the columns of a tile are contiguous.
// CHECK-LABEL: func.func @tiles
func.func @tiles(%A: memref<8x32xf32>, %B: memref<32x64xf32>, %C: memref<8x64xf32>) {
  // CHECK: %[[PART:.*]] = memref.alloc() {{.*}} : memref<2x32x32xf32>
  // CHECK: scf.for %[[T:.*]] =
  // CHECK: scf.for %[[K:.*]] =
  // CHECK: scf.for %[[V:.*]] =
  // CHECK: %[[X:.*]] = memref.load %arg1[%[[K]], %{{.*}}]
  // CHECK: memref.store %[[X]], %[[PART]][%[[T]], %[[K]], %[[V]]]
  // CHECK: scf.for %{{.*}} =
  // CHECK: scf.for %[[Y:.*]] =
  // CHECK: scf.for %[[Z:.*]] = {{.*}} iter_args
  // CHECK: vector.load %[[PART]][%[[Y]], %[[Z]], %c0] : memref<2x32x32xf32>, vector<16xf32>
  // CHECK: vector.load %[[PART]][%[[Y]], %[[Z]], %c16] : memref<2x32x32xf32>, vector<16xf32>
  // CHECK-NOT: memref.prefetch
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (memref<8x32xf32>, memref<32x64xf32>) -> !mdh.mda<8x64x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [8, 2, 32], [1, 1, 1], [1, 2, 1], [1, 16, 1]],
      decompose = {order = [[6, 7, 8], [1, 2, 5], [9, 10, 11], [12, 3, 13], [14, 4, 15]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"],
                           ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"]],
                            [["L1[2, 1, 2]", "L1[2, 1, 2]", "L1[2, 1, 2]"], ["L1[2, 1, 2]", "L1[2, 1, 2]", "L1[2, 1, 2]"], ["L1[2, 1, 2]", "L1[2, 1, 2]", "L1[2, 1, 2]"], ["L1[2, 1, 2]", "L1[2, 1, 2]", "L1[2, 1, 2]"], ["L1[2, 1, 2]", "L1[2, 1, 2]", "L1[2, 1, 2]"]]]},
      scalar = {reads = ["MM[1, 2]", "L1[2, 1, 2]"]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x64x32, f32, f32> -> !mdh.mda<8x64x1, f32>
  mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<8x64x1, f32>, memref<8x64xf32>
  return
}

// Rows of a packed part whose stride is a multiple of many cache lines would conflict in caches: they are padded by a line.
// CHECK-LABEL: func.func @padded
func.func @padded(%A: memref<512x256xf32>, %y: memref<512xf32>) {
  // CHECK: memref.alloc() {{.*}} : memref<512x272xf32>
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (memref<512x256xf32>) -> !mdh.mda<512x256, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1], [512, 256], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]],
                   reads = [[["L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]"]]]},
      scalar = {reads = ["L1[1, 2]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<512x256, f32> -> !mdh.mda<512x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %y : !mdh.mda<512x1, f32>, memref<512xf32>
  return
}
