// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --canonicalize --cse | FileCheck %s

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

// A reduction that reads a short run of each row prefetches the run of the next tile; the last tile prefetches its own.
// CHECK-LABEL: func.func @rows
func.func @rows(%x: memref<1024xf32>, %B: memref<1024x512xf32>, %y: memref<512xf32>) {
  // CHECK: scf.for %[[J:.*]] =
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args
  // CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c1
  // CHECK: %[[IS:.*]] = arith.cmpi slt, %[[NEXT]], %c32
  // CHECK: arith.select %{{.*}}, %[[NEXT]], %[[J]]
  // CHECK: memref.prefetch %arg1[%[[K]], %{{.*}}], read, locality<3>, data
  // CHECK: vector.load %arg1[%[[K]], %{{.*}}]
  %in = mdh.view.inp_view %x[affine_map<(j, k) -> (k)>], %B[affine_map<(j, k) -> (k, j)>]
      : (memref<1024xf32>, memref<1024x512xf32>) -> !mdh.mda<512x1024, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1], [32, 1024], [1, 1], [1, 1], [16, 1]],
      decompose = {order = [[4, 5], [1, 3], [6, 7], [8, 9], [2, 10]],
                   tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x1024, f32, f32> -> !mdh.mda<512x1, f32>
  mdh.view.out_view %r[affine_map<(j, k) -> (j)>] into %y : !mdh.mda<512x1, f32>, memref<512xf32>
  return
}

// A small input stays in the cache and is not prefetched.
// CHECK-LABEL: func.func @small
// CHECK-NOT: memref.prefetch
func.func @small(%x: memref<64xf32>, %B: memref<64x512xf32>, %y: memref<512xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(j, k) -> (k)>], %B[affine_map<(j, k) -> (k, j)>]
      : (memref<64xf32>, memref<64x512xf32>) -> !mdh.mda<512x64, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1], [32, 64], [1, 1], [1, 1], [16, 1]],
      decompose = {order = [[4, 5], [1, 3], [6, 7], [8, 9], [2, 10]],
                   tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x64, f32, f32> -> !mdh.mda<512x1, f32>
  mdh.view.out_view %r[affine_map<(j, k) -> (j)>] into %y : !mdh.mda<512x1, f32>, memref<512xf32>
  return
}
