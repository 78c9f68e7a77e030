// RUN: mdh-opt %s --canonicalize --cse | FileCheck %s

// Steps are pure: unused ones are erased.
// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%x: memref<8xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 8 : !mdh.mda<8, f32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 : !mdh.mda<8, f32>
  %3 = mdh.lowlevel.scalar %2 on @small order [[1], [2]] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.cc level(2, 1) parts 1 : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  return
}

// CHECK-LABEL: @index
func.func @index(%x: memref<1xindex>, %w: memref<1xindex>) {
  // CHECK: mdh.lowlevel.scalar
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: mdh.hom.yield %[[ZERO]]
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1xindex>) -> !mdh.mda<1, index>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 1 : !mdh.mda<1, index>
  %2 = mdh.lowlevel.scalar %1 on @one order [[1]] {
  ^bb0(%a: index):
    %i = mdh.hom.index 0 : index
    mdh.hom.yield %i : index
  } : !mdh.mda<1, index> -> !mdh.mda<1, index>
  %3 = mdh.lowlevel.recompose %2 combine #mdh.cc level(1, 1) parts 1 : !mdh.mda<1, index> -> !mdh.mda<1, index>
  mdh.view.out_view %3[affine_map<(i) -> (i)>] into %w : !mdh.mda<1, index>, memref<1xindex>
  return
}
