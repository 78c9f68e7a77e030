// RUN: mdh-opt %s --canonicalize --cse | FileCheck %s

// The index in a dimension of extent 1 is always 0. Scalar functions are simplified like other code.
// CHECK-LABEL: @index
func.func @index(%in: !mdh.mda<1x16>) -> !mdh.mda<1x16, index> {
  // CHECK: mdh.hom.md_hom
  // CHECK-NEXT: %[[J:.*]] = mdh.hom.index 1 : index
  // CHECK-NEXT: mdh.hom.yield %[[J]] : index
  %0 = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %sum = arith.addi %j, %i : index
    mdh.hom.yield %sum : index
  } : !mdh.mda<1x16> -> !mdh.mda<1x16, index>
  return %0 : !mdh.mda<1x16, index>
}

// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%in: !mdh.mda<4, f32>) {
  %0 = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}
