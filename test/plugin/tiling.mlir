// Upstream's tiling makes loops over tiles of computations. The inputs and results of a tile are slices of tensors.
// REQUIRES: plugin
// REQUIRES: omp

// DEFINE: %{tile} = transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(%{tile}{entry-point=loops},canonicalize,cse)' %s -o %t.loops.mlir
// RUN: FileCheck %s < %t.loops.mlir
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(%{tile}{entry-point=forall},canonicalize,cse)' %s -o %t.forall.mlir
// RUN: FileCheck %s --check-prefix=FORALL < %t.forall.mlir

// The tiled programs give the results of the untiled one.
// DEFINE: %{functions} = matmul=[12x6],[6x10],[12x10]:1 stencil=[34]:1 rest=[36]:1 convolution=[33x12],[3x3]:1 indices=:1 dynamic=[25x6],[6],13:1 scan=[16x10],[16]:1 results=[16x16]:2
// RUN: %python %S/Inputs/compare.py %t.data %s %t.loops.mlir %{functions}
// RUN: %python %S/Inputs/compare.py %t.data %s %t.forall.mlir %{functions}

// eliminate-empty-tensors makes tiles write into the tensor of the loop, so that bufferization copies nothing.
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries=1},cse,canonicalize)' %t.loops.mlir \
// RUN:   | FileCheck %s --check-prefix=IN-PLACE

#i = affine_map<(i, j, k) -> (i, k)>
#j = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// A tile size that does not divide its extent, and one that does. Initial values are tiled, too.
// CHECK-DAG: #[[REST:.*]] = affine_map<(d0) -> (-d0 + 12, 8)>
// CHECK-LABEL: func.func @matmul
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<12x10xf32>
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%{{.*}} = %[[NEW]])
// CHECK: scf.for %[[J:[^ ]*]] = {{.*}} iter_args(%[[RESULT:.*]] =
// CHECK: %[[SIZE:.*]] = affine.min #[[REST]](%[[I]])
// CHECK: %[[A:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [%[[SIZE]], 6] [1, 1]
// CHECK: %[[B:.*]] = tensor.extract_slice %arg1[0, %[[J]]] [6, 5] [1, 1]
// CHECK: %[[IN:.*]] = mdh.view.inp_view %[[A]][#{{.*}}], %[[B]][#{{.*}}] : {{.*}} -> !mdh.mda<?x5x6, f32, f32>
// CHECK: %[[C:.*]] = tensor.extract_slice %arg2[%[[I]], %[[J]]] [%[[SIZE]], 5] [1, 1]
// CHECK: %[[INIT:.*]] = mdh.view.inp_view %[[C]][#{{.*}}] : {{.*}} -> !mdh.mda<?x5x1, f32>
// CHECK: %[[RES:.*]] = mdh.hom.md_hom %[[IN]] init(%[[INIT]] : !mdh.mda<?x5x1, f32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x5xf32>
// CHECK: %[[TILE:.*]] = mdh.view.out_view %[[RES]][#{{.*}}] into %[[EMPTY]]
// CHECK: tensor.insert_slice %[[TILE]] into %[[RESULT]][%[[I]], %[[J]]] [%[[SIZE]], 5] [1, 1]
// FORALL-LABEL: func.func @matmul
// FORALL: scf.forall (%{{.*}}, %{{.*}}) in (2, 2) shared_outs(%[[RESULT:.*]] = %
// FORALL: %[[TILE:.*]] = mdh.view.out_view
// FORALL: tensor.parallel_insert_slice %[[TILE]] into %[[RESULT]]
// IN-PLACE-LABEL: func.func @matmul
// IN-PLACE: %[[RESULT:.*]] = memref.alloc()
// IN-PLACE-NOT: memref.alloc
// IN-PLACE-NOT: memref.copy
// IN-PLACE: %[[TILE:.*]] = memref.subview %[[RESULT]]
// IN-PLACE: mdh.view.out_view {{.*}} into %[[TILE]]
// IN-PLACE-NOT: memref.copy
// IN-PLACE: return %[[RESULT]]
func.func @matmul(%A: tensor<12x6xf32>, %B: tensor<6x10xf32>, %C: tensor<12x10xf32>) -> tensor<12x10xf32> {
  %in = mdh.view.inp_view %A[#i], %B[#j] : (tensor<12x6xf32>, tensor<6x10xf32>) -> !mdh.mda<12x10x6, f32, f32>
  %init = mdh.view.inp_view %C[#c] : (tensor<12x10xf32>) -> !mdh.mda<12x10x1, f32>
  %res = mdh.hom.md_hom %in init(%init : !mdh.mda<12x10x1, f32>) combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<12x10x6, f32, f32> -> !mdh.mda<12x10x1, f32>
  %D = mdh.view.out_view %res[#c] into %C {blocks} : !mdh.mda<12x10x1, f32>, tensor<12x10xf32> -> tensor<12x10xf32>
  return %D : tensor<12x10xf32>
}

#x0 = affine_map<(i) -> (i)>
#x1 = affine_map<(i) -> (i + 1)>
#x2 = affine_map<(i) -> (i + 2)>

// Neighbours share a slice in a tile of static size.
// CHECK-LABEL: func.func @stencil
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]]] [10] [1]
// CHECK: mdh.view.inp_view %[[X]][#{{.*}}, #{{.*}}, #{{.*}}] : (tensor<10xf32>) -> !mdh.mda<8, f32, f32, f32>
// FORALL-LABEL: func.func @stencil
// FORALL: scf.forall (%{{.*}}) in (4)
func.func @stencil(%x: tensor<34xf32>) -> tensor<32xf32> {
  %in = mdh.view.inp_view %x[#x0, #x1, #x2] : (tensor<34xf32>) -> !mdh.mda<32, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.addf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<32, f32, f32, f32> -> !mdh.mda<32, f32>
  %w = mdh.view.out_view %res[#x0] {rows} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %w : tensor<32xf32>
}

// In a tile of dynamic size, each has its own: the extent is the size of a slice.
// CHECK-LABEL: func.func @rest
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK-COUNT-3: tensor.extract_slice %arg0[%{{.*}}] [%[[SIZE]]] [1]
// CHECK: mdh.view.inp_view {{.*}} : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?, f32, f32, f32>
func.func @rest(%x: tensor<36xf32>) -> tensor<34xf32> {
  %in = mdh.view.inp_view %x[#x0, #x1, #x2] : (tensor<36xf32>) -> !mdh.mda<34, f32, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.addf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<34, f32, f32, f32> -> !mdh.mda<34, f32>
  %w = mdh.view.out_view %res[#x0] {rows} : !mdh.mda<34, f32> -> tensor<34xf32>
  return %w : tensor<34xf32>
}

// A convolution with stride 2: slices of the input have the stride and the halo; the filter has no tiled dimension.
// CHECK-LABEL: func.func @convolution
// CHECK: %[[I:.*]] = affine.apply
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], %{{.*}}] [17, 7] [1, 1]
// CHECK: mdh.view.inp_view %[[X]][#{{.*}}], %arg1[#{{.*}}]
func.func @convolution(%x: tensor<33x12xf32>, %f: tensor<3x3xf32>) -> tensor<16x10xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j, r, s) -> (2 * i + r, j + s)>], %f[affine_map<(i, j, r, s) -> (r, s)>]
      : (tensor<33x12xf32>, tensor<3x3xf32>) -> !mdh.mda<16x10x3x3, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x10x3x3, f32, f32> -> !mdh.mda<16x10x1x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, j, r, s) -> (i, j)>] {blocks} : !mdh.mda<16x10x1x1, f32> -> tensor<16x10xf32>
  return %w : tensor<16x10xf32>
}

// Indices count from the first point of the whole space. The result is transposed.
// CHECK-LABEL: func.func @indices
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: scf.for %[[J:[^ ]*]] = {{.*}} iter_args(%[[RESULT:.*]] =
// CHECK: %[[FIRST:.*]] = mdh.hom.index 0
// CHECK: arith.addi %[[FIRST]], %[[I]]
// CHECK: %[[SECOND:.*]] = mdh.hom.index 1
// CHECK: arith.addi %[[SECOND]], %[[J]]
// CHECK: tensor.insert_slice %{{.*}} into %[[RESULT]][%[[J]], %[[I]]] [5, 8] [1, 1]
func.func @indices() -> tensor<10x16xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<16x10>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %c = arith.constant 100 : index
    %m = arith.muli %i, %c : index
    %s = arith.addi %m, %j : index
    %n = arith.index_cast %s : index to i64
    mdh.hom.yield %n : i64
  } : !mdh.mda<16x10> -> !mdh.mda<16x10, i64>
  %w = mdh.view.out_view %res[affine_map<(i, j) -> (j, i)>] {blocks} : !mdh.mda<16x10, i64> -> tensor<10x16xi64>
  return %w : tensor<10x16xi64>
}

// Dynamic extents follow from slices, or are operands. The new tensor has the size that the result will have.
// CHECK-LABEL: func.func @dynamic
// CHECK: tensor.empty(%arg2) : tensor<?xf32>
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}(%{{.*}})[%arg2]
// CHECK: %[[M:.*]] = tensor.extract_slice %arg0[%{{.*}}, 0] [%{{.*}}, %{{.*}}] [1, 1]
// CHECK: mdh.view.inp_view %[[M]][#{{.*}}], %arg1[#{{.*}}] extents(%[[SIZE]])
func.func @dynamic(%M: tensor<?x?xf32>, %x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (2 * i, k)>], %x[affine_map<(i, k) -> (k)>] extents(%n)
      : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] {rows} : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// The rows of a scan, with the carry that comes in.
// CHECK-LABEL: func.func @scan
// CHECK: tensor.extract_slice %arg0[%[[I:.*]], 0] [8, 10] [1, 1]
// CHECK: tensor.extract_slice %arg1[%[[I]]] [8] [1]
// CHECK: combine [#mdh.cc, #mdh.ps<add>]
func.func @scan(%x: tensor<16x10xf32>, %c: tensor<16xf32>) -> tensor<16x10xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<16x10xf32>) -> !mdh.mda<16x10, f32>
  %carry = mdh.view.inp_view %c[affine_map<(i, k) -> (i)>] : (tensor<16xf32>) -> !mdh.mda<16x1, f32>
  %res = mdh.hom.md_hom %in init(%carry : !mdh.mda<16x1, f32>) combine [#mdh.cc, #mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<16x10, f32> -> !mdh.mda<16x10, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i, k)>] {rows} : !mdh.mda<16x10, f32> -> tensor<16x10xf32>
  return %w : tensor<16x10xf32>
}

// Two accesses to an input in different directions, and two results: one of two accesses, one in reverse order.
// CHECK-LABEL: func.func @results
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [8, 16] [1, 1]
// CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %arg0[0, %[[I]]] [16, 8] [1, 1]
// CHECK: mdh.view.inp_view %[[ROWS]][#{{.*}}], %[[COLUMNS]][#{{.*}}]
// CHECK: %[[TILE:.*]]:2 = mdh.view.out_view
// CHECK: tensor.insert_slice %[[TILE]]#0 into %{{.*}} [16, 16] [1, 1]
// CHECK: tensor.insert_slice %[[TILE]]#1 into %{{.*}} [8, 16] [1, 1]
func.func @results(%x: tensor<16x16xf32>) -> (tensor<32x16xf32>, tensor<16x16xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>]
      : (tensor<16x16xf32>) -> !mdh.mda<16x16, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    mdh.hom.yield %s, %a, %d : f32, f32, f32
  } : !mdh.mda<16x16, f32, f32> -> !mdh.mda<16x16, f32, f32, f32>
  %w:2 = mdh.view.out_view %res[affine_map<(i, j) -> (2 * i, j)>, affine_map<(i, j) -> (2 * i + 1, j)>], [affine_map<(i, j) -> (15 - i, j)>]
      {rows} : !mdh.mda<16x16, f32, f32, f32> -> tensor<32x16xf32>, tensor<16x16xf32>
  return %w#0, %w#1 : tensor<32x16xf32>, tensor<16x16xf32>
}
