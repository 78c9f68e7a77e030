// A producer that cannot be computed in tiles is computed as a whole, with a remark that gives the reason:
// fuse_into_containing_op copies it into the loop, and fuse leaves it where it is.
// REQUIRES: plugin
// RUN: %stock-mlir-opt --split-input-file --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter{entry-point=fuse_into_forall},canonicalize)' %s 2> %t.remarks | FileCheck %s --check-prefix=FORALL
// RUN: FileCheck %s < %t.remarks
// RUN: %stock-mlir-opt --split-input-file --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter{entry-point=fuse})' %s 2> %t.remarks | FileCheck %s --check-prefix=FUSE
// RUN: FileCheck %s < %t.remarks

#id = affine_map<(i) -> (i)>

// A tile of a scan needs all elements before it.
func.func @scan(%x: tensor<32xf32>) -> tensor<32xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %sums = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} remark: a tile of result 1 is not computed by itself: requires tiles with the whole extent of dimension 1, because its points are combined by #mdh.ps<add>
  %w = mdh.view.out_view %sums[#id] {first} : !mdh.mda<32, f32> -> tensor<32xf32>
  // FORALL: scf.forall
  // FORALL: %[[W:.*]] = mdh.view.out_view {{.*}} -> tensor<32xf32>
  // FORALL: tensor.extract_slice %[[W]]
  // FUSE: %[[W:.*]] = mdh.view.out_view {{.*}} -> tensor<32xf32>
  // FUSE: scf.for
  // FUSE: tensor.extract_slice %[[W]]
  %next = mdh.view.inp_view %w[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %doubled = mdh.hom.md_hom %next combine [#mdh.cc] {
  ^bb0(%a: f32):
    %d = arith.addf %a, %a : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  %z = mdh.view.out_view %doubled[#id] {last} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %z : tensor<32xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The consumer reads elements that the producer does not compute.
func.func @shifted(%x: tensor<31xf32>) -> tensor<32xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<31xf32>) -> !mdh.mda<31, f32>
  %copied = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<31, f32> -> !mdh.mda<31, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} remark: a tile of result 1 is not computed by itself: requires one access, with dimensions as indices whose extents are the sizes of the result
  %w = mdh.view.out_view %copied[affine_map<(i) -> (i + 1)>] {first} : !mdh.mda<31, f32> -> tensor<32xf32>
  // FORALL: scf.forall
  // FORALL: %[[W:.*]] = mdh.view.out_view {{.*}} -> tensor<32xf32>
  // FORALL: tensor.extract_slice %[[W]]
  // FUSE: %[[W:.*]] = mdh.view.out_view {{.*}} -> tensor<32xf32>
  // FUSE: scf.for
  // FUSE: tensor.extract_slice %[[W]]
  %next = mdh.view.inp_view %w[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %doubled = mdh.hom.md_hom %next combine [#mdh.cc] {
  ^bb0(%a: f32):
    %d = arith.addf %a, %a : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  %z = mdh.view.out_view %doubled[#id] {last} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %z : tensor<32xf32>
}
