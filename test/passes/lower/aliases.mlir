// RUN: mdh-opt %s --mdh-schedule=system=openmp --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower | FileCheck %s

// All reads of a computation come before its writes: an input that may share memory with an output is read from a copy.
#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> (i + 1)>

// CHECK-LABEL: func.func @cast
// CHECK-SAME: (%[[M:.*]]: memref<8xf32>)
func.func @cast(%m: memref<8xf32>) {
  // CHECK: %[[S:.*]] = memref.cast %[[M]]
  // CHECK: %[[COPY:.*]] = memref.alloca() : memref<7xf32>
  // CHECK: %[[A:.*]] = memref.load %[[S]]
  // CHECK: memref.store %[[A]], %[[COPY]]
  // CHECK: %[[B:.*]] = memref.load %[[COPY]]
  // CHECK: memref.store %[[B]], %[[M]]
  %s = memref.cast %m : memref<8xf32> to memref<?xf32>
  %in = mdh.view.inp_view %s[#in] : (memref<?xf32>) -> !mdh.mda<7, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<7, f32> -> !mdh.mda<7, f32>
  mdh.view.out_view %r[#out] into %m : !mdh.mda<7, f32>, memref<8xf32>
  return
}

// CHECK-LABEL: func.func @choice
func.func @choice(%m: memref<8xf32>, %n: memref<8xf32>, %c: i1) {
  // CHECK: %[[S:.*]] = arith.select
  // CHECK: %[[COPY:.*]] = memref.alloca() : memref<7xf32>
  // CHECK: memref.load %[[S]]
  // CHECK: memref.load %[[COPY]]
  %s = arith.select %c, %m, %n : memref<8xf32>
  %in = mdh.view.inp_view %s[#in] : (memref<8xf32>) -> !mdh.mda<7, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<7, f32> -> !mdh.mda<7, f32>
  mdh.view.out_view %r[#out] into %m : !mdh.mda<7, f32>, memref<8xf32>
  return
}

// Arguments do not alias, and an allocation does not alias earlier memory.
// CHECK-LABEL: func.func @different
func.func @different(%x: memref<7xf32>, %m: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-NOT: memref.alloca
  %in = mdh.view.inp_view %x[#in] : (memref<7xf32>) -> !mdh.mda<7, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<7, f32> -> !mdh.mda<7, f32>
  mdh.view.out_view %r[#out] into %m : !mdh.mda<7, f32>, memref<8xf32>
  // CHECK: scf.for
  %last = scf.for %i = %zero to %n step %one iter_args(%old = %m) -> memref<8xf32> {
    // CHECK: %[[NEW:.*]] = memref.alloc()
    // CHECK-NOT: memref.alloca
    // CHECK: memref.store %{{.*}}, %[[NEW]]
    %new = memref.alloc() : memref<8xf32>
    %in2 = mdh.view.inp_view %old[#in] : (memref<8xf32>) -> !mdh.mda<7, f32>
    %r2 = mdh.hom.md_hom %in2 combine [#mdh.cc] {
    ^bb0(%a: f32):
      mdh.hom.yield %a : f32
    } : !mdh.mda<7, f32> -> !mdh.mda<7, f32>
    mdh.view.out_view %r2[#out] into %new : !mdh.mda<7, f32>, memref<8xf32>
    // CHECK: scf.yield
    scf.yield %new : memref<8xf32>
  }
  return
}
