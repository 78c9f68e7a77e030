// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --canonicalize --cse | FileCheck %s
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-keep-order --mdh-lower | FileCheck %s --check-prefix=STRICT

// STRICT-NOT: fastmath

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

// Levels on registers and vectors form a register tile: 2 x 16 sums are carried through the reduction.
// CHECK-LABEL: func.func @registers
func.func @registers(%A: memref<8x32xf32>, %B: memref<32x16xf32>, %C: memref<8x16xf32>) {
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16xf32>) {
  // CHECK: %[[A0:.*]] = memref.load %arg0[%{{.*}}, %[[K]]]
  // CHECK: %[[B:.*]] = vector.load %arg1[%[[K]], %{{.*}}] : memref<32x16xf32>, vector<16xf32>
  // CHECK: %[[V0:.*]] = vector.broadcast %[[A0]]
  // CHECK: arith.mulf %[[V0]], %[[B]] fastmath<contract>
  // CHECK: %[[A1:.*]] = memref.load %arg0[%{{.*}}, %[[K]]]
  // CHECK-NOT: vector.load
  // CHECK: scf.yield
  // CHECK: vector.store %[[SUMS]]#0, %arg2
  // CHECK: vector.store %[[SUMS]]#1, %arg2
  // CHECK-NOT: scf.if
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (memref<8x32xf32>, memref<32x16xf32>) -> !mdh.mda<8x16x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [4, 1, 32], [1, 1, 1], [2, 1, 1], [1, 16, 1]],
      decompose = {order = [[1, 2, 3], [4, 5, 15], [6, 7, 8], [9, 10, 11], [12, 13, 14]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"],
                           ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x16x32, f32, f32> -> !mdh.mda<8x16x1, f32>
  mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<8x16x1, f32>, memref<8x16xf32>
  return
}

// Partial tiles: full vectors first, then a masked one.
// CHECK-LABEL: func.func @partial
func.func @partial(%x: memref<1009xf32>) {
  // CHECK: scf.for %{{.*}} = %c0 to %c63 step %c1 {
  // CHECK: vector.load
  // CHECK: math.absf %{{.*}} : vector<16xf32>
  // CHECK: vector.store
  // CHECK: %[[MASK:.*]] = vector.constant_mask [1]
  // CHECK: vector.maskedload %arg0[%c1008], %[[MASK]]
  // CHECK: vector.maskedstore %arg0[%c1008], %[[MASK]]
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1009xf32>) -> !mdh.mda<1009, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [64], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1009, f32> -> !mdh.mda<1009, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %x : !mdh.mda<1009, f32>, memref<1009xf32>
  return
}

// Results that nothing reads may be computed twice: the last tile is moved.
// CHECK-LABEL: func.func @moved
func.func @moved(%x: memref<1009xf32>, %y: memref<1009xf32>) {
  // CHECK: scf.for %[[P:.*]] = %c0 to %c64 step %c1 {
  // CHECK: arith.minsi
  // CHECK: vector.load
  // CHECK: vector.store
  // CHECK-NOT: vector.
  // CHECK: return
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1009xf32>) -> !mdh.mda<1009, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [64], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1009, f32> -> !mdh.mda<1009, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<1009, f32>, memref<1009xf32>
  return
}

// Vectors as long as a line of the caches: those of neighbors are lanes of two that are loaded. Half as long ones are loaded.
// CHECK-LABEL: func.func @neighbors
func.func @neighbors(%x: memref<1026xf32>, %y: memref<1024xf32>, %z: memref<1024xf32>) {
  // CHECK: %[[V0:.*]] = vector.load %arg0{{.*}} vector<16xf32>
  // CHECK: %[[V1:.*]] = vector.load %arg0{{.*}} vector<16xf32>
  // CHECK: vector.shuffle %[[V0]], %[[V1]] [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
  // CHECK: arith.addf
  // CHECK: vector.load %arg0{{.*}} vector<16xf32>
  // CHECK-NOT: vector.shuffle
  // CHECK: vector.store
  // CHECK: vector.store
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>] : (memref<1026xf32>) -> !mdh.mda<1024, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [32], [1], [2], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1024, f32, f32> -> !mdh.mda<1024, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<1024, f32>, memref<1024xf32>
  // CHECK-COUNT-4: vector.load %arg0{{.*}} vector<8xf32>
  // CHECK-NOT: vector.shuffle
  // CHECK: return
  %half = mdh.view.inp_view %x[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>] : (memref<1026xf32>) -> !mdh.mda<1024, f32, f32>
  %s = mdh.hom.md_hom %half combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [64], [1], [2], [8]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1024, f32, f32> -> !mdh.mda<1024, f32>
  mdh.view.out_view %s[affine_map<(i) -> (i)>] into %z : !mdh.mda<1024, f32>, memref<1024xf32>
  return
}

// A reduction stays in lanes through the loops inside its step, and is combined by halving. Strided elements are loaded one by
// one, and operations without a vector form are computed lane by lane.
func.func private @f(f32) -> f32
// CHECK-LABEL: func.func @lanes
func.func @lanes(%x: memref<128xf32>, %y: memref<f32>) {
  // CHECK: scf.for {{.*}} -> (vector<4xf32>) {
  // CHECK-COUNT-4: memref.load %arg0
  // CHECK: call @f
  // CHECK: vector.from_elements
  // CHECK: arith.addf {{.*}} : vector<4xf32>
  // CHECK: vector.shuffle {{.*}} [0, 1]
  // CHECK: vector.shuffle {{.*}} [2, 3]
  // CHECK: arith.addf {{.*}} : vector<2xf32>
  // CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
  // CHECK: memref.store %[[SUM]], %arg1[]
  %in = mdh.view.inp_view %x[affine_map<(i) -> (2 * i)>] : (memref<128xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1], [16], [1], [1], [4]],
      decompose = {order = [[1], [5], [2], [3], [4]], tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %p = func.call @f(%a) : (f32) -> f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %y : !mdh.mda<1, f32>, memref<f32>
  return
}

// Loops are copied once, inside a loop over the lanes. At the end of a dimension, strided elements are stored lane by lane.
// No point is computed again, because an output is read.
// CHECK-LABEL: func.func @loops
func.func @loops(%x: memref<61xi32>, %y: memref<61x3xi32>) {
  // CHECK: scf.for %{{.*}} = %c0 to %c3
  // CHECK: %[[X:.*]] = vector.load %arg0
  // CHECK: %[[LOOP:.*]] = scf.for %[[LANE:.*]] = %{{.*}} to %c16 {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (vector<16xi32>)
  // CHECK-NEXT: %[[ONE:.*]] = vector.extract %[[X]][%[[LANE]]]
  // CHECK-NEXT: %[[STEPS:.*]] = scf.while (%{{.*}} = %[[ONE]])
  // CHECK: %[[NEXT:.*]] = vector.insert %[[STEPS]], %[[ALL]] [%[[LANE]]]
  // CHECK-NEXT: scf.yield %[[NEXT]]
  // CHECK-COUNT-16: memref.store
  // CHECK: vector.constant_mask [13]
  // CHECK: scf.while
  // CHECK: scf.for %[[LANE:.*]] = %c0 to %c13
  // CHECK-NEXT: %[[ONE:.*]] = vector.extract %{{.*}}[%[[LANE]]]
  // CHECK-NEXT: %[[I:.*]] = arith.addi %[[LANE]], %c48
  // CHECK-NEXT: memref.store %[[ONE]], %arg1[%[[I]], %c0]
  // CHECK-NOT: memref.store
  // CHECK: return
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i, 0)>] : (memref<61xi32>, memref<61x3xi32>) -> !mdh.mda<61, i32, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: i32, %old: i32):
    %one = arith.constant 1 : i32
    %most = arith.constant 100 : i32
    %p = scf.while (%n = %a) : (i32) -> i32 {
      %more = arith.cmpi slt, %n, %most : i32
      scf.condition(%more) %n : i32
    } do {
    ^bb0(%n: i32):
      %next = arith.shli %n, %one : i32
      %odd = arith.ori %next, %one : i32
      scf.yield %odd : i32
    }
    mdh.hom.yield %p : i32
  } : !mdh.mda<61, i32, i32> -> !mdh.mda<61, i32>
  mdh.view.out_view %r[affine_map<(i) -> (i, 0)>] into %y : !mdh.mda<61, i32>, memref<61x3xi32>
  return
}

// A function of one block is inlined.
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
// CHECK-LABEL: func.func @call
func.func @call(%x: memref<64xf32>, %y: memref<64xf32>) {
  // CHECK: %[[X:.*]] = vector.load %arg0
  // CHECK-NOT: call
  // CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : vector<16xf32>
  // CHECK: vector.store %[[Y]], %arg1
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %p = func.call @twice(%a) : (f32) -> f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
