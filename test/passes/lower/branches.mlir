// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --canonicalize --cse | FileCheck %s

// Branches of the scalar function, vectorized.
mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

func.func private @positive(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %is = arith.cmpf ogt, %x, %zero : f32
  %y = scf.if %is -> f32 {
    %e = math.exp %x : f32
    scf.yield %e : f32
  } else {
    scf.yield %zero : f32
  }
  return %y : f32
}

// Divergent branches: both are computed for all lanes, also those of a function that is called in one.
// CHECK-LABEL: func.func @differs
func.func @differs(%x: memref<64xf32>, %y: memref<64xf32>) {
  // CHECK: %[[X:.*]] = vector.load %arg0
  // CHECK: %[[OUTER:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : vector<16xf32>
  // CHECK: %[[INNER:.*]] = arith.cmpf ogt, %[[X]], %{{.*}} : vector<16xf32>
  // CHECK: %[[EXP:.*]] = math.exp %[[X]] : vector<16xf32>
  // CHECK: %[[POSITIVE:.*]] = arith.select %[[INNER]], %[[EXP]], %{{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK: %[[Y:.*]] = arith.select %[[OUTER]], %[[POSITIVE]], %[[SQUARE]] : vector<16xi1>, vector<16xf32>
  // CHECK-NOT: scf.if
  // CHECK: vector.store %[[Y]], %arg1
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %small = arith.cmpf olt, %a, %one : f32
    %p = scf.if %small -> f32 {
      %e = func.call @positive(%a) : (f32) -> f32
      scf.yield %e : f32
    } else {
      %s = arith.mulf %a, %a : f32
      scf.yield %s : f32
    }
    mdh.hom.yield %p : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}

// A uniform branch: it stays one branch with vectors as results. It may contain a division.
// CHECK-LABEL: func.func @same
func.func @same(%x: memref<64xi32>, %c: memref<i1>, %y: memref<64xi32>, %z: memref<64xi32>) {
  // CHECK: %[[C:.*]] = memref.load %arg1[]
  // CHECK: %[[ONE:.*]] = arith.select %[[C]], %{{.*}} : i32
  // CHECK: %[[ALL:.*]] = scf.if %[[C]] -> (vector<16xi32>) {
  // CHECK-NEXT: arith.muli %{{.*}} : vector<16xi32>
  // CHECK-NEXT: arith.divsi {{.*}} : vector<16xi32>
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %{{.*}} : vector<16xi32>
  // CHECK: %[[FLAT:.*]] = vector.broadcast %[[ONE]]
  // CHECK-NEXT: vector.store %[[ALL]], %arg2
  // CHECK: vector.store %[[FLAT]], %arg3
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %c[affine_map<(i) -> ()>]
      : (memref<64xi32>, memref<i1>) -> !mdh.mda<64, i32, i1>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: i32, %is: i1):
    %seven = arith.constant 7 : i32
    %eight = arith.constant 8 : i32
    %p, %q = scf.if %is -> (i32, i32) {
      %s = arith.muli %a, %a : i32
      %d = arith.divsi %eight, %s : i32
      scf.yield %d, %seven : i32, i32
    } else {
      scf.yield %a, %eight : i32, i32
    }
    mdh.hom.yield %p, %q : i32, i32
  } : !mdh.mda<64, i32, i1> -> !mdh.mda<64, i32, i32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>] into %y, %z
      : !mdh.mda<64, i32, i32>, memref<64xi32>, memref<64xi32>
  return
}

// A uniform branch becomes a select if not all lanes reach it, because its condition may then be poison.
// CHECK-LABEL: func.func @inside
func.func @inside(%x: memref<64xf32>, %c: memref<f32>, %y: memref<64xf32>) {
  // CHECK: %[[LIMIT:.*]] = arith.fptosi %{{.*}} : f32 to i8
  // CHECK: %[[IS:.*]] = arith.cmpi slt, %[[LIMIT]], %{{.*}} : i8
  // CHECK: arith.select %[[IS]], %{{.*}} : vector<16xf32>
  // CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK-NOT: scf.if
  // CHECK: return
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %c[affine_map<(i) -> ()>]
      : (memref<64xf32>, memref<f32>) -> !mdh.mda<64, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32, %limit: f32):
    %small = arith.cmpf olt, %limit, %a : f32
    %p = scf.if %small -> f32 {
      %number = arith.fptosi %limit : f32 to i8
      %zero = arith.constant 0 : i8
      %is = arith.cmpi slt, %number, %zero : i8
      %q = scf.if %is -> f32 {
        %s = arith.mulf %a, %a : f32
        scf.yield %s : f32
      } else {
        scf.yield %limit : f32
      }
      scf.yield %q : f32
    } else {
      scf.yield %a : f32
    }
    mdh.hom.yield %p : f32
  } : !mdh.mda<64, f32, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}

// Operations that can trap are computed only for the lanes that reach them.
// CHECK-LABEL: func.func @traps
func.func @traps(%x: memref<64xi32>, %y: memref<64xi32>) {
  // CHECK: %[[X:.*]] = vector.load %arg0
  // CHECK: %[[IS:.*]] = arith.cmpi ne, %[[X]], %{{.*}} : vector<16xi32>
  // CHECK: %[[LANE:.*]] = vector.extract %[[IS]][0]
  // CHECK: scf.if %[[LANE]] -> (i32) {
  // CHECK-NEXT: arith.divsi {{.*}} : i32
  // CHECK-COUNT-15: arith.divsi {{.*}} : i32
  // CHECK: vector.from_elements
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xi32>) -> !mdh.mda<64, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: i32):
    %zero = arith.constant 0 : i32
    %hundred = arith.constant 100 : i32
    %is = arith.cmpi ne, %a, %zero : i32
    %p = scf.if %is -> i32 {
      %q = arith.divsi %hundred, %a : i32
      scf.yield %q : i32
    } else {
      scf.yield %zero : i32
    }
    mdh.hom.yield %p : i32
  } : !mdh.mda<64, i32> -> !mdh.mda<64, i32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, i32>, memref<64xi32>
  return
}

// Past the end of a dimension, where branches stay, lanes read what the first lane reads, so that they trap only if it does.
// CHECK-LABEL: func.func @masked
func.func @masked(%x: memref<61xf32>) {
  // CHECK: scf.for
  // CHECK: vector.store
  // CHECK: %[[FIRST:.*]] = memref.load %arg0[%[[I:.*]]]
  // CHECK: %[[ALL:.*]] = vector.broadcast %[[FIRST]]
  // CHECK: vector.maskedload %arg0[%[[I]]], %{{.*}}, %[[ALL]]
  // CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK: vector.maskedstore
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<61xf32>) -> !mdh.mda<61, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @machine,
      parts = [[1], [4], [1], [1], [16]], decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]]}}} {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %a, %zero : f32
    %p = scf.if %is -> f32 {
      %q = math.log %a : f32
      scf.yield %q : f32
    } else {
      scf.yield %zero : f32
    }
    mdh.hom.yield %p : f32
  } : !mdh.mda<61, f32> -> !mdh.mda<61, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %x : !mdh.mda<61, f32>, memref<61xf32>
  return
}
