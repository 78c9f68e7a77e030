// RUN: mdh-opt %s --canonicalize --cse | FileCheck %s

// On tensors a computation is pure: unused ones are erased, and duplicates are merged (CSE).
// CHECK-LABEL: @pure
func.func @pure(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-1: mdh.view.inp_view
  // CHECK-COUNT-1: mdh.hom.md_hom
  // CHECK: %[[OUT:.*]] = mdh.view.out_view
  // CHECK-NEXT: return %[[OUT]], %[[OUT]]
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  %3 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %4 = mdh.hom.md_hom %3 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %5 = mdh.view.out_view %4[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  %6 = mdh.view.out_view %4[affine_map<(i) -> (7 - i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// A write to memory is kept, and so is everything that it reads.
// CHECK-LABEL: @memory
func.func @memory(%x: memref<8xf32>, %w: memref<8xf32>) {
  // CHECK-COUNT-2: mdh.view.out_view
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %1[affine_map<(i) -> (i)>] into %w : !mdh.mda<8, f32>, memref<8xf32>
  mdh.view.out_view %1[affine_map<(i) -> (i)>] into %x : !mdh.mda<8, f32>, memref<8xf32>
  return
}

// A new memref that is never read is erased.
// CHECK-LABEL: @unused_memory
// CHECK-NEXT: return
func.func @unused_memory(%x: memref<8xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %1 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %2 = mdh.view.out_view %1[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> memref<8xf32>
  return
}
