// A destination tensor is a value: its result is the only output, and agrees with the reference evaluator.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh run %s --function some --input 3 --input 5 --output %t/some.npy --check | FileCheck %s
// RUN: od -A n -t f4 -j 128 %t/some.npy | FileCheck %s --check-prefix=SOME
// RUN: mdh run %s --function all --input 3 --input 5 --output %t/all.npy --check | FileCheck %s
// RUN: mdh run %s --function in_place --input 3 --input 5 --output %t/in_place.npy --check | FileCheck %s
// RUN: cmp %t/all.npy %t/in_place.npy
// RUN: mdh run %s --function matmul --input 3 --input 5 --input 1 --output %t/matmul.npy
// RUN: od -A n -t f4 -j 128 %t/matmul.npy | FileCheck %s --check-prefix=MATMUL
// RUN: not mdh run %s --function some --input 3 --input 5 --output %t/a.npy --output %t/b.npy 2>&1 | FileCheck %s --check-prefix=TWO
// CHECK: agrees with the reference evaluator
// SOME: 24{{ +}}5{{ +}}24{{ +}}5
// MATMUL: 31{{ +}}31{{ +}}31{{ +}}31
// TWO: error: 'some' requires --output for all of its outputs or for none (1 results, 0 memrefs that it writes), but got 2

#rows = affine_map<(i, k) -> (i, k)>

func.func @some(%A: tensor<2x8xf32>, %C: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<2x8xf32>) -> !mdh.mda<2x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x8, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (2 * i)>] into %C : !mdh.mda<2x1, f32>, tensor<4xf32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}

func.func @all(%A: tensor<2x8xf32>, %C: tensor<2xf32>) -> tensor<2xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<2x8xf32>) -> !mdh.mda<2x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x8, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] into %C : !mdh.mda<2x1, f32>, tensor<2xf32> -> tensor<2xf32>
  return %w : tensor<2xf32>
}

func.func @in_place(%A: tensor<2x8xf32>, %C: tensor<2xf32> {bufferization.writable = true}) -> tensor<2xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<2x8xf32>) -> !mdh.mda<2x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x8, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] into %C : !mdh.mda<2x1, f32>, tensor<2xf32> -> tensor<2xf32>
  return %w : tensor<2xf32>
}

func.func @matmul(%A: tensor<2x2xf32>, %B: tensor<2x2xf32>, %C: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = linalg.matmul ins(%A, %B : tensor<2x2xf32>, tensor<2x2xf32>) outs(%C : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %w : tensor<2x2xf32>
}
