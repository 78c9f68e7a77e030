// The loops of a nest as a short text: registers and lanes are levels, statements of one kind are counted.
// RUN: mdh explain %s --nest=short --machine %S/../../examples/machines/avx512.json --threads 2 | FileCheck %s
// RUN: mdh explain %s --nest=full --machine %S/../../examples/machines/avx512.json --threads 2 > %t.full
// RUN: mdh explain %s --nest --machine %S/../../examples/machines/avx512.json --threads 2 | diff %t.full -

// CHECK: @product, computation 1, on @cpu:
// CHECK-NEXT: {{^}}  input 1: 512 × 512 × f32
// CHECK: {{^}}  threads  level (1, {{[12]}}) on COR,{{[xy]}}  × 2
// CHECK: {{^ +}}unrolled  level (6, {{[12]}}) on REG,{{[xy]}}  × {{[0-9]+}}
// CHECK: {{^ +}}vector  level (7, 2) on SIMD,y  × 16
// CHECK: {{^ +}}scalar function{{.*}} ×
// CHECK-NOT: %
// CHECK: each line is what
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
