// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --mdh-erase-symbols --canonicalize --cse --loop-invariant-code-motion \
// RUN:   | FileCheck %s --implicit-check-not=mdh.

mdh.lowlevel.system @flat memory [MM: global, L1: cache] cores [COR: threads]

// Phases that traverse the parts in the same order share one nest; the innermost reduction is carried in a register.
// CHECK-LABEL: func.func @fused
func.func @fused(%M: memref<8x16xf32>, %v: memref<16xf32>, %w: memref<8xf32>) {
  // CHECK: scf.parallel (%[[P:.*]]) = (%{{.*}}) to (%[[C2:.*]]) step
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
  // CHECK: %[[A:.*]] = memref.load %arg0[%{{.*}}, %[[K]]] : memref<8x16xf32>
  // CHECK: %[[X:.*]] = memref.load %arg1[%[[K]]] : memref<16xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[X]] fastmath<contract> : f32
  // CHECK: arith.addf %[[S]], %[[PRODUCT]] fastmath<contract> : f32
  // A short reduction inside other loops is unrolled, so that LLVM can vectorize those.
  // CHECK: } {llvm.loop_annotation = #
  // CHECK: memref.store %[[SUM]], %arg2
  // CHECK-NOT: memref.alloc
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<8x16xf32>, memref<16xf32>) -> !mdh.mda<8x16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @flat, parts = [[2, 1], [4, 16], [1, 1]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x16, f32, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// Cores that share a sum have one partial result each; these are combined after the parallel loop.
// CHECK-LABEL: func.func @private
func.func @private(%M: memref<8x16xf32>, %w: memref<8xf32>) {
  // CHECK: %[[PARTIAL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
  // CHECK: scf.parallel (%[[P:.*]]) =
  // CHECK: memref.store %{{.*}}, %[[PARTIAL]][%[[P]], %{{.*}}]
  // CHECK: scf.reduce
  // CHECK: memref.store %{{.*}}, %arg1
  // CHECK: scf.for %[[Q:.*]] =
  // CHECK: memref.load %[[PARTIAL]][%[[Q]], %{{.*}}]
  // CHECK: arith.addf
  // CHECK: memref.store %{{.*}}, %arg1
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>]
      : (memref<8x16xf32>) -> !mdh.mda<8x16, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @flat, parts = [[1, 4], [8, 4], [1, 1]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8x16, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// A parallel scan has three phases: scans of the parts, a scan of their last elements, and their addition to the next part.
// CHECK-LABEL: func.func @scan
func.func @scan(%x: memref<16xf32>, %w: memref<16xf32>) {
  // CHECK: %[[LAST:.*]] = memref.alloca() : memref<4xf32>
  // CHECK: scf.parallel
  // CHECK: scf.for {{.*}} iter_args
  // CHECK: scf.reduce
  // CHECK: scf.for
  // CHECK: memref.store %{{.*}}, %[[LAST]]
  // CHECK: scf.parallel (%[[P:.*]]) = (%{{.*}}) to (%[[C3:.*]]) step
  // CHECK: memref.load %[[LAST]]
  // CHECK: memref.load %arg1
  // CHECK: arith.addf
  // CHECK: memref.store %{{.*}}, %arg1
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<16xf32>) -> !mdh.mda<16, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @flat, parts = [[4], [4], [1]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<16, f32> -> !mdh.mda<16, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<16, f32>, memref<16xf32>
  return
}

// Phases in different orders are separate nests; a low-level buffer passes results from one to the next.
// CHECK-LABEL: func.func @separate
func.func @separate(%x: memref<8xf32>, %w: memref<8xf32>) {
  // CHECK: %[[BUFFER:.*]] = memref.alloca() : memref<8xf32>
  // CHECK: scf.for %{{.*}} = %c0 to %c4
  // CHECK-NEXT: scf.for %{{.*}} = %c0 to %c2
  // CHECK: memref.store %{{.*}}, %[[BUFFER]]
  // CHECK: scf.for %{{.*}} = %c0 to %c2
  // CHECK: scf.for %{{.*}} = %c0 to %c4
  // CHECK-NOT: arith.addf
  // CHECK: memref.load %[[BUFFER]]
  // CHECK-NEXT: memref.store %{{.*}}, %arg1
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @flat, parts = [[1], [2], [4]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}, scalar={order=[[1],[3],[2]]}}} {
  ^bb0(%a: f32):
    %p = arith.addf %a, %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, f32>, memref<8xf32>
  return
}

// A promoted buffer has the elements of one part only, in its own layout. It is filled once per visit of the part.
// CHECK-LABEL: func.func @promoted
func.func @promoted(%A: memref<6x8xf32>, %w: memref<8x6xf32>) {
  // CHECK: %[[PART:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8x2xf32>
  // CHECK: scf.for %[[I:.*]] = %c0 to %c3
  // CHECK: scf.for %[[J:.*]] = %c0 to %c8
  // CHECK-NEXT: scf.for %[[II:.*]] = %c0 to %c2
  // CHECK: %[[A:.*]] = memref.load %arg0[%{{.*}}, %[[J]]]
  // CHECK-NEXT: memref.store %[[A]], %[[PART]][%[[J]], %[[II]]]
  // CHECK: scf.for %[[II:.*]] = %c0 to %c2
  // CHECK: scf.for %[[J:.*]] = %c0 to %c8
  // CHECK-NEXT: %[[A:.*]] = memref.load %[[PART]][%[[J]], %[[II]]]
  // CHECK-NEXT: memref.store %[[A]], %arg1[%[[J]], %{{.*}}]
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @flat, parts = [[1, 1], [3, 1], [2, 8]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]], reads = [
      [["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "L1[2, 1]"], ["L1[2, 1]", "L1[2, 1]"]]]}, scalar = {reads = ["L1[2, 1]"]}
  }} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x8, f32>
  mdh.view.out_view %r[affine_map<(i, j) -> (j, i)>] into %w : !mdh.mda<6x8, f32>, memref<8x6xf32>
  return
}

// Parts of a dynamic extent: the last one may be smaller, and an empty extent has none.
// CHECK-LABEL: func.func @partial
func.func @partial(%x: memref<?xf32>, %w: memref<?xf32>) {
  // CHECK: %[[N:.*]] = memref.dim %arg0
  // CHECK: %[[SIZE:.*]] = arith.ceildivsi %[[N]], %c3
  // CHECK: %[[DIVISOR:.*]] = arith.maxsi %[[SIZE]], %c1
  // CHECK: %[[PARTS:.*]] = arith.ceildivsi %[[N]], %[[DIVISOR]]
  // CHECK: %[[REACHED:.*]] = arith.minsi %[[PARTS]], %c3
  // CHECK: scf.for %[[I:.*]] = %c0 to %[[REACHED]]
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[I]], %[[DIVISOR]]
  // CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[OFFSET]]
  // CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[REST]]
  // CHECK: scf.for %{{.*}} = %c0 to %[[END]]
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @flat, parts = [[1], [3], ["?"]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    %p = arith.addf %a, %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<?, f32>, memref<?xf32>
  return
}

// An operator that selects one of two tuples: LLVM is told that the accumulated one is usually kept.
mdh.hom.operator @later commutative (%a: i64, %x: f32, %b: i64, %y: f32) -> (i64, f32) {
  %c = arith.cmpf olt, %x, %y : f32
  %i = arith.select %c, %b, %a : i64
  %z = arith.select %c, %y, %x : f32
  mdh.hom.yield %i, %z : i64, f32
}
// CHECK-LABEL: func.func @choice
func.func @choice(%i: memref<?xi64>, %x: memref<?xf32>, %j: memref<i64>, %y: memref<f32>) {
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) -> (i64, f32)
  // CHECK: %[[C:.*]] = arith.cmpf olt, %[[X]], %[[Y:.*]] : f32
  // CHECK: %[[HINT:.*]] = llvm.intr.expect.with.probability %[[C]], %false, 0.99{{.*}} : i1
  // CHECK: arith.select %[[HINT]], %{{.*}}, %[[A]] : i64
  // CHECK: arith.select %[[HINT]], %[[Y]], %[[X]] : f32
  %in = mdh.view.inp_view %i[affine_map<(i) -> (i)>], %x[affine_map<(i) -> (i)>]
      : (memref<?xi64>, memref<?xf32>) -> !mdh.mda<?, i64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<@later>] attributes {schedule = {system = @flat, parts = [[1], ["?"], [1]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: i64, %f: f32):
    mdh.hom.yield %a, %f : i64, f32
  } : !mdh.mda<?, i64, f32> -> !mdh.mda<1, i64, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>], [affine_map<(i) -> ()>] into %j, %y
      : !mdh.mda<1, i64, f32>, memref<i64>, memref<f32>
  return
}
