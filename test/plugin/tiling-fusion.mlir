// Upstream's fusion computes producers tile by tile in the loop of their consumer: both may be computations or linalg.
// REQUIRES: plugin
// REQUIRES: omp

// DEFINE: %{tile} = transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(%{tile}{entry-point=fuse},canonicalize,cse)' %s -o %t.fused.mlir
// RUN: FileCheck %s < %t.fused.mlir
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(%{tile}{entry-point=fuse_into_forall},canonicalize,cse)' %s -o %t.forall.mlir
// RUN: FileCheck %s --check-prefix=FORALL < %t.forall.mlir

// DEFINE: %{functions} = linalg_consumer=[32x6],[6x10]:1 chain=[34x6],[6]:1 several=[32]:2
// RUN: %python %S/Inputs/compare.py %t.data %s %t.fused.mlir %{functions}
// RUN: %python %S/Inputs/compare.py %t.data %s %t.forall.mlir %{functions}

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @linalg_consumer
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: tensor.extract_slice %arg0[%[[I]], 0] [8, 6] [1, 1]
// CHECK: %[[TILE:.*]] = mdh.view.out_view
// CHECK: linalg.generic {{.*}} ins(%[[TILE]] : tensor<8x10xf32>)
// CHECK-NOT: mdh.view.out_view
// CHECK: return
// FORALL-LABEL: func.func @linalg_consumer
// FORALL: scf.forall
// FORALL: %[[TILE:.*]] = mdh.view.out_view
// FORALL: linalg.generic {{.*}} ins(%[[TILE]] : tensor<8x10xf32>)
// FORALL-NOT: mdh.view.out_view
// FORALL: return
func.func @linalg_consumer(%A: tensor<32x6xf32>, %B: tensor<6x10xf32>) -> tensor<32x10xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<32x6xf32>, tensor<6x10xf32>) -> !mdh.mda<32x10x6, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<32x10x6, f32, f32> -> !mdh.mda<32x10x1, f32>
  %C = mdh.view.out_view %res[affine_map<(i, j, k) -> (i, j)>] {first} : !mdh.mda<32x10x1, f32> -> tensor<32x10xf32>
  %empty = tensor.empty() : tensor<32x10xf32>
  %D = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%C : tensor<32x10xf32>) outs(%empty : tensor<32x10xf32>) attrs = {last} {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<32x10xf32>
  return %D : tensor<32x10xf32>
}

// A chain: linalg, MatVec, a stencil, of which each iteration needs two more elements of the MatVec.
// CHECK-LABEL: func.func @chain
// CHECK: scf.for
// CHECK: %[[DOUBLED:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<10x6xf32>)
// CHECK: mdh.view.inp_view %[[DOUBLED]]
// CHECK: %[[PRODUCT:.*]] = mdh.view.out_view {{.*}} tensor<10xf32>
// CHECK: mdh.view.inp_view %[[PRODUCT]]
// CHECK: mdh.view.out_view {{.*}} tensor<8xf32>
// CHECK-NOT: {{mdh.view.out_view|linalg.generic}}
// CHECK: return
// FORALL-LABEL: func.func @chain
// FORALL: linalg.generic {{.*}} ins(%arg0 : tensor<34x6xf32>)
// FORALL: scf.forall
// FORALL: %[[PRODUCT:.*]] = mdh.view.out_view {{.*}} tensor<10xf32>
// FORALL: mdh.view.inp_view %[[PRODUCT]]
// FORALL: mdh.view.out_view {{.*}} tensor<8xf32>
func.func @chain(%M: tensor<34x6xf32>, %v: tensor<6xf32>) -> tensor<32xf32> {
  %empty = tensor.empty() : tensor<34x6xf32>
  %doubled = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%M : tensor<34x6xf32>) outs(%empty : tensor<34x6xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<34x6xf32>
  %in = mdh.view.inp_view %doubled[#id2], %v[affine_map<(i, k) -> (k)>]
      : (tensor<34x6xf32>, tensor<6xf32>) -> !mdh.mda<34x6, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<34x6, f32, f32> -> !mdh.mda<34x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] {first} : !mdh.mda<34x1, f32> -> tensor<34xf32>
  %neighbours = mdh.view.inp_view %w[#id, affine_map<(i) -> (i + 2)>] : (tensor<34xf32>) -> !mdh.mda<32, f32, f32>
  %differences = mdh.hom.md_hom %neighbours combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<32, f32, f32> -> !mdh.mda<32, f32>
  %z = mdh.view.out_view %differences[#id] {last} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %z : tensor<32xf32>
}

// One of two results is used by the consumer; the other one by the function, so the whole computation stays, too.
// CHECK-LABEL: func.func @several
// CHECK: mdh.view.out_view {{.*}} -> tensor<32xf32>, tensor<32xf32>
// CHECK: scf.for
// CHECK: mdh.view.out_view {{.*}} -> tensor<8xf32>, tensor<8xf32>
// FORALL-LABEL: func.func @several
// FORALL: scf.forall
// FORALL: mdh.view.out_view {{.*}} -> tensor<8xf32>, tensor<8xf32>
func.func @several(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %in = mdh.view.inp_view %x[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    %d = arith.addf %a, %a : f32
    mdh.hom.yield %s, %d : f32, f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32, f32>
  %w:2 = mdh.view.out_view %res[#id], [#id] {first} : !mdh.mda<32, f32, f32> -> tensor<32xf32>, tensor<32xf32>
  %next = mdh.view.inp_view %w#0[#id] : (tensor<32xf32>) -> !mdh.mda<32, f32>
  %copied = mdh.hom.md_hom %next combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<32, f32> -> !mdh.mda<32, f32>
  %z = mdh.view.out_view %copied[#id] {last} : !mdh.mda<32, f32> -> tensor<32xf32>
  return %z, %w#1 : tensor<32xf32>, tensor<32xf32>
}
