// Raised programs are tiled by upstream, too: raising, fusion and tiling in one pipeline.
// REQUIRES: plugin
// REQUIRES: omp
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(mdh-raise,transform-preload-library{transform-library-paths=%S/Inputs/tiling.mlir},transform-interpreter{entry-point=every},canonicalize,cse)' %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %python %S/Inputs/compare.py %t.data %s %t.mlir matmul=[16x6],[6x10],[16x10]:1
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(lower-mdh)' %t.mlir | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @matmul
// CHECK-NOT: linalg.
// CHECK: scf.forall
// CHECK: mdh.hom.md_hom {{.*}} init(
// CHECK: %[[TILE:.*]] = mdh.view.out_view
// CHECK: tensor.parallel_insert_slice %[[TILE]]
// LLVM-NOT: mdh.
// LLVM: llvm.func @matmul
func.func @matmul(%A: tensor<16x6xf32>, %B: tensor<6x10xf32>, %C: tensor<16x10xf32>) -> tensor<16x10xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<16x6xf32>, tensor<6x10xf32>) outs(%C : tensor<16x10xf32>) -> tensor<16x10xf32>
  return %D : tensor<16x10xf32>
}
