// mdh beside linalg, tensor, scf and func: the program is lowered by upstream passes and ours, in either order, and runs.
// REQUIRES: plugin
// REQUIRES: omp

// Our passes first: operations unknown to lower-mdh are left for upstream passes.
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(lower-mdh{stop-after=promote-memory},one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=1},func.func(convert-linalg-to-loops),lower-mdh)' %s \
// RUN:   | FileCheck %s --check-prefix=LLVM
// LLVM-NOT: mdh.
// LLVM-NOT: linalg.
// LLVM: llvm.func @main

// Upstream bufferization first: it uses the bufferization interface of our operations.
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=1})' %s \
// RUN:   | FileCheck %s --check-prefix=BUFFERIZED
// BUFFERIZED-LABEL: func.func @scaled_matvec
// BUFFERIZED-NOT: tensor<
// BUFFERIZED: mdh.view.inp_view {{.*}} : (memref<3x4xf32{{.*}}>, memref<4xf32{{.*}}>) -> !mdh.mda<3x4, f32, f32>
// BUFFERIZED: mdh.view.out_view {{.*}} into {{.*}} memref<3xf32

// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=1},func.func(convert-linalg-to-loops),lower-mdh)' %s -o %t.llvm.mlir
// RUN: mlir-runner -e main --entry-point-result=void --shared-libs=%llvm-lib/libmlir_runner_utils.so,%llvm-lib/libmlir_c_runner_utils.so,%llvm-lib/libomp.so %t.llvm.mlir \
// RUN:   | FileCheck %s --check-prefix=RESULT

#row_major = affine_map<(i, k) -> (i, k)>
#second = affine_map<(i, k) -> (k)>
#first = affine_map<(i, k) -> (i)>

// M * (f * v), f by linalg, then v is replaced by the result in a loop.
func.func @scaled_matvec(%M: tensor<3x4xf32>, %v: tensor<4xf32>, %factor: f32) -> tensor<3xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %scaled = linalg.generic
      {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    %product = arith.mulf %x, %factor : f32
    linalg.yield %product : f32
  } -> tensor<4xf32>
  %in = mdh.view.inp_view %M[#row_major], %scaled[#second]
      : (tensor<3x4xf32>, tensor<4xf32>) -> !mdh.mda<3x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<3x4, f32, f32> -> !mdh.mda<3x1, f32>
  %w = mdh.view.out_view %res[#first] : !mdh.mda<3x1, f32> -> tensor<3xf32>
  return %w : tensor<3xf32>
}

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %M = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %factor = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  // The second iteration multiplies by [20, 52, 84, 0].
  %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %one) -> (tensor<4xf32>) {
    %w = func.call @scaled_matvec(%M, %v, %factor) : (tensor<3x4xf32>, tensor<4xf32>, f32) -> tensor<3xf32>
    %next = tensor.pad %w low[0] high[1] {
    ^bb0(%d: index):
      tensor.yield %zero : f32
    } : tensor<3xf32> to tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  %unranked = tensor.cast %last : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%unranked) : (tensor<*xf32>) -> ()
  return
}
// (20 + 2*52 + 3*84) * 2 = 752, (100 + 312 + 588) * 2 = 2000, (180 + 520 + 924) * 2 = 3248
// RESULT: [752,  2000,  3248,  0]
