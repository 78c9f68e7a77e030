// Tiles that cannot be computed by themselves are errors with the reason.
// REQUIRES: plugin
// RUN: not %stock-mlir-opt --split-input-file --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter{entry-point=loops})' %s 2>&1 | FileCheck %s
// RUN: not %stock-mlir-opt --split-input-file --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter{entry-point=forall})' %s 2>&1 | FileCheck %s

#id = affine_map<(i) -> (i)>

func.func @reduction(%x: tensor<16x10xf32>) -> tensor<16xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<16x10xf32>) -> !mdh.mda<16x10, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<16x10, f32> -> !mdh.mda<16x1, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires tiles with the whole extent of dimension 2, because its points are combined by #mdh.pw<add>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] {blocks} : !mdh.mda<16x1, f32> -> tensor<16xf32>
  return %w : tensor<16xf32>
}

// -----

func.func @scan(%x: tensor<16x10xf32>) -> tensor<16x10xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<16x10xf32>) -> !mdh.mda<16x10, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<16x10, f32> -> !mdh.mda<16x10, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires tiles with the whole extent of dimension 2, because its points are combined by #mdh.ps<add>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i, k)>] {blocks} : !mdh.mda<16x10, f32> -> tensor<16x10xf32>
  return %w : tensor<16x10xf32>
}

// -----

#id = affine_map<(i) -> (i)>

func.func @memref_destination(%x: memref<32xf32>, %y: memref<32xf32>) {
  %in = mdh.view.inp_view %x[#id] : (memref<32xf32>) -> !mdh.mda<32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires a computation on tensors, but it reads or writes memrefs
  mdh.view.out_view %res[#id] into %y {rows} : !mdh.mda<32, f32>, memref<32xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

func.func @memref_result(%x: memref<?xf32>) -> memref<?xf32> {
  %in = mdh.view.inp_view %x[#id] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires a computation on tensors, but it reads or writes memrefs
  %y = mdh.view.out_view %res[#id] {rows} : !mdh.mda<?, f32> -> memref<?xf32>
  return %y : memref<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

mdh.lowlevel.system @one memory [M: global] cores []

func.func @low_level(%x: tensor<32xf32>) -> tensor<32xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %part = mdh.lowlevel.decompose %in level(1, 1) parts 32 : !mdh.mda<32, f32>
  %res = mdh.lowlevel.scalar %part on @one order [[1]] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  %whole = mdh.lowlevel.recompose %res combine #mdh.cc level(1, 1) parts 32 : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires an mdh.hom.md_hom of an mdh.view.inp_view
  %w = mdh.view.out_view %whole[#id] {rows} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %w : tensor<32xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The last element of the destination keeps its value.
func.func @destination(%x: tensor<32xf32>, %y: tensor<33xf32>) -> tensor<33xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires destinations of static size that are overwritten as a whole, because loops over tiles begin with new tensors, but destination 1 is not
  %w = mdh.view.out_view %res[#id] into %y {rows} : !mdh.mda<32, f32>, tensor<33xf32> -> tensor<33xf32>
  return %w : tensor<33xf32>
}

// -----

#id = affine_map<(i) -> (i)>

func.func @dynamic_destination(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires destinations of static size that are overwritten as a whole, because loops over tiles begin with new tensors, but destination 1 is not
  %w = mdh.view.out_view %res[#id] into %y {rows} : !mdh.mda<?, f32>, tensor<?xf32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The loops need a new tensor of the same size, which is 0 if the extent is 0, and else 2 more than the extent.
func.func @dynamic_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} remark: is not tiled: requires iteration dimensions as indices where a new tensor has a dynamic size
  %w = mdh.view.out_view %res[affine_map<(i) -> (i + 2)>] {rows} : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The blocks of tiles, from the first to the last element that they write, overlap.
func.func @halves(%x: tensor<32xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a, %a : f32, f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires tiles that write separate blocks of result 1, but those along dimension 1 do not
  %w = mdh.view.out_view %res[#id, affine_map<(i) -> (i + 32)>] {rows} : !mdh.mda<32, f32, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>

func.func @opposite(%x: tensor<32xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a, %a : f32, f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires index functions of result 1 that differ in constants only, but those of accesses 1 and 2 have different coefficients
  %w = mdh.view.out_view %res[#id, affine_map<(i) -> (63 - i)>] {rows} : !mdh.mda<32, f32, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The last tile is smaller, so its first element has another index in the slice.
func.func @reverse(%x: tensor<30xf32>) -> tensor<30xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (29 - i)>] : (tensor<30xf32>) -> !mdh.mda<30, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<30, f32> -> !mdh.mda<30, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires tiles of static size in dimensions in which an index decreases
  %w = mdh.view.out_view %res[#id] {rows} : !mdh.mda<30, f32> -> tensor<30xf32>
  return %w : tensor<30xf32>
}

// -----

func.func @empty(%x: tensor<0x16xf32>) -> tensor<0x16xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<0x16xf32>) -> !mdh.mda<0x16, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<0x16, f32> -> !mdh.mda<0x16, f32>
  // CHECK: [[# @LINE + 1]]:{{.*}} error: 'mdh.view.out_view' op requires extents larger than 0, but that of dimension 1 is 0
  %w = mdh.view.out_view %res[affine_map<(i, j) -> (i, j)>] {blocks} : !mdh.mda<0x16, f32> -> tensor<0x16xf32>
  return %w : tensor<0x16xf32>
}
