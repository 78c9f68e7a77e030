// A file with part counts only: the order of loops is that with the shortest predicted time, not that of the default,
// whose other loops are elsewhere. The threads are around the loops that the default has outside.
// RUN: mdh explain %s --machine %S/../../../examples/machines/avx512.json --threads 2 --schedule %S/Inputs/partial-parts.json --why | FileCheck %s
// RUN: mdh explain %s --machine %S/../../../examples/machines/avx512.json --threads 2 --schedule %S/Inputs/partial-order.json --why 2>&1 | FileCheck %s --check-prefix=GIVEN

// CHECK-NOT: threads are started
// CHECK: loops: threads
// CHECK-SAME: vector y 16
// An order that the file states stays.
// GIVEN: loops: x 128 · threads x 2
func.func @product(%A: tensor<512x512xf32>, %B: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<512x512xf32>, tensor<512x512xf32>) -> !mdh.mda<512x512x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x512x512, f32, f32> -> !mdh.mda<512x512x1, f32>
  %C = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<512x512x1, f32> -> tensor<512x512xf32>
  return %C : tensor<512x512xf32>
}
