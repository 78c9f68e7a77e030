// The order of loops follows the strides of memrefs: consecutive elements of a transposed matrix are those of a column.
// RUN: mdh explain %s --function row_major --machine %S/../../../examples/machines/avx512.json --threads 1 --why | FileCheck %s --check-prefix=ROWS
// RUN: mdh explain %s --function strided --machine %S/../../../examples/machines/avx512.json --threads 1 --why | FileCheck %s --check-prefix=COLUMNS
// RUN: mdh explain %s --function transposed --machine %S/../../../examples/machines/avx512.json --threads 1 --why | FileCheck %s --check-prefix=COLUMNS

// ROWS: loops: {{.*}}vector y 16 · y 128
// COLUMNS: loops: y 64 · x 128 · registers x 16 · y 32

func.func @row_major(%M: memref<2048x2048xf32>, %v: memref<2048xf32>, %w: memref<2048xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<2048x2048xf32>, memref<2048xf32>) -> !mdh.mda<2048x2048, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<2048x2048, f32, f32> -> !mdh.mda<2048x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<2048x1, f32>, memref<2048xf32>
  return
}

func.func @strided(%M: memref<2048x2048xf32, strided<[1, 2048]>>, %v: memref<2048xf32>, %w: memref<2048xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<2048x2048xf32, strided<[1, 2048]>>, memref<2048xf32>) -> !mdh.mda<2048x2048, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<2048x2048, f32, f32> -> !mdh.mda<2048x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<2048x1, f32>, memref<2048xf32>
  return
}

func.func @transposed(%A: memref<2048x2048xf32>, %v: memref<2048xf32>, %w: memref<2048xf32>) {
  %M = memref.transpose %A (i, k) -> (k, i) : memref<2048x2048xf32> to memref<2048x2048xf32, strided<[1, 2048]>>
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (memref<2048x2048xf32, strided<[1, 2048]>>, memref<2048xf32>) -> !mdh.mda<2048x2048, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<2048x2048, f32, f32> -> !mdh.mda<2048x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<2048x1, f32>, memref<2048xf32>
  return
}
