// The loops of a nest as a short text: registers and lanes are levels, statements of one kind are counted.
// RUN: mdh explain %s --nest=short --machine %examples/machines/avx512.json --threads 2 | FileCheck %s
// RUN: mdh explain %s --nest=full --machine %examples/machines/avx512.json --threads 2 > %t.full
// RUN: mdh explain %s --nest --machine %examples/machines/avx512.json --threads 2 | diff %t.full -

// CHECK: @product, computation 1, on @cpu:
// CHECK-NEXT: {{^}}  input 1: 512 × 512 × f32
// CHECK: {{^}}  threads  level (1, {{[12]}}) of {{[ij]}} on COR,{{[xy]}}  × 2
// CHECK: {{^ +}}unrolled  level (6, {{[12]}}) of {{[ij]}} on REG,{{[xy]}}  × {{[0-9]+}}
// CHECK: {{^ +}}vector  level (7, 2) of j on SIMD,y  × 16
// CHECK: {{^ +}}scalar function{{.*}} ×
// CHECK-NOT: %
// CHECK: how to read the outlines
// CHECK-NEXT: {{^}}  buffer, copy{{ +}}memory with its sizes, and what is written to it
// CHECK-NEXT: {{^}}  threads{{ +}}parts that threads compute at the same time
// CHECK-NOT: kernel
// CHECK: {{^}}  scalar function{{ +}}what the program computes at a point
// CHECK: each line: what it is   level (layer, dimension)   what executes it   × number of parts;

// The names of the dimensions are in the tables, too, and in the estimates.
// RUN: mdh explain %s --why --machine %examples/machines/avx512.json --threads 2 | FileCheck %s --check-prefix=TABLE
// TABLE: @product, computation 1, on @cpu:
// TABLE-NEXT: dimensions: 1, i: 512, cc; 2, j: 512, cc; 3, k: 512, pw<add>
// TABLE: │ (1, {{[12]}}) {{[ij]}}{{ +}}2{{ }}
// TABLE-NOT: │ (2,
// TABLE: │ (7, 2) j
// TABLE: levels without effect: (1,
// TABLE-SAME: (2, *), (3, *)
// TABLE: loops: threads {{[ij]}} 2 ·
// TABLE-SAME: vector j 16
// TABLE: how to read the tables
// TABLE: {{^}}  cc, pw<f>, ps<f>
// TABLE: {{^}}  levels without effect
// RUN: mdh explain %s --all-rows --machine %examples/machines/avx512.json --threads 2 | FileCheck %s --check-prefix=ROWS --implicit-check-not="without effect"
// ROWS-COUNT-21: │ ({{[1-7]}}, {{[1-3]}}) {{[ijk]}}
// RUN: not mdh explain %s --all-rows --json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: the argument '--all-rows' cannot be used with '--json'
func.func @product(%A: tensor<512x512xf32>, %B: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<512x512xf32>, tensor<512x512xf32>) -> !mdh.mda<512x512x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {dimension_names = ["i", "j", "k"]} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x512x512, f32, f32> -> !mdh.mda<512x512x1, f32>
  %C = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<512x512x1, f32> -> tensor<512x512xf32>
  return %C : tensor<512x512xf32>
}
