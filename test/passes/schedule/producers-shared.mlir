// Attention on a machine with small caches: rows of scores are computed in parts of the result. The second matrix of a
// product is packed once, for all parts, also if the reduction of the rows keeps an axis of size 1.
// RUN: mdh explain %s --function attention --machine %S/Inputs/small-caches.json --threads 2 --nest | FileCheck %s
// RUN: %python %S/../../raise/Inputs/arrays.py %t 96x16 96x16 96x16 0x96 96x96
// RUN: mdh run %s --function attention --machine %S/Inputs/small-caches.json --input %t0.npy --input %t1.npy --input %t2.npy --threads 2 --check
// RUN: mdh run %s --function attention --machine %S/Inputs/small-caches.json --input %t0.npy --input %t1.npy --input %t2.npy --threads 1 --strict --check

// CHECK: @attention, computation 5:
// CHECK: allocate part1: {{.*}} on the heap
// CHECK: for all parts of computation 1:
// CHECK-NEXT: promote input 2 to L2[1, 2, 1]:
// CHECK-NEXT: parallel for
// CHECK-NOT: for all parts
// CHECK: parallel for
// CHECK: compute a part of computation 1:
// CHECK-NOT: promote input 2
// CHECK: compute a part of computation 2:
// CHECK: compute a part of computation 3:
// CHECK: compute a part of computation 4:
func.func @attention(%q: tensor<96x16xf32>, %k: tensor<96x16xf32>, %v: tensor<96x16xf32>) -> tensor<96x16xf32> {
  %in = mdh.view.inp_view %q[affine_map<(i, j, d) -> (i, d)>], %k[affine_map<(i, j, d) -> (j, d)>] : (tensor<96x16xf32>, tensor<96x16xf32>) -> !mdh.mda<96x96x16, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<96x96x16, f32, f32> -> !mdh.mda<96x96x1, f32>
  %scores = mdh.view.out_view %h[affine_map<(i, j, d) -> (i, j)>] : !mdh.mda<96x96x1, f32> -> tensor<96x96xf32>
  %in2 = mdh.view.inp_view %scores[affine_map<(i, j) -> (i, j)>] : (tensor<96x96xf32>) -> !mdh.mda<96x96, f32>
  %h2 = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<96x96, f32> -> !mdh.mda<96x1, f32>
  %max = mdh.view.out_view %h2[affine_map<(i, j) -> (i, 0)>] : !mdh.mda<96x1, f32> -> tensor<96x1xf32>
  %in3 = mdh.view.inp_view %scores[affine_map<(i, j) -> (i, j)>], %max[affine_map<(i, j) -> (i, 0)>] : (tensor<96x96xf32>, tensor<96x1xf32>) -> !mdh.mda<96x96, f32, f32>
  %h3 = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    %e = math.exp %c : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<96x96, f32, f32> -> !mdh.mda<96x96, f32>
  %exp = mdh.view.out_view %h3[affine_map<(i, j) -> (i, j)>] : !mdh.mda<96x96, f32> -> tensor<96x96xf32>
  %in4 = mdh.view.inp_view %exp[affine_map<(i, j) -> (i, j)>] : (tensor<96x96xf32>) -> !mdh.mda<96x96, f32>
  %h4 = mdh.hom.md_hom %in4 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<96x96, f32> -> !mdh.mda<96x1, f32>
  %sum = mdh.view.out_view %h4[affine_map<(i, j) -> (i, 0)>] : !mdh.mda<96x1, f32> -> tensor<96x1xf32>
  %in5 = mdh.view.inp_view %exp[affine_map<(i, d, j) -> (i, j)>], %sum[affine_map<(i, d, j) -> (i, 0)>], %v[affine_map<(i, d, j) -> (j, d)>] : (tensor<96x96xf32>, tensor<96x1xf32>, tensor<96x16xf32>) -> !mdh.mda<96x16x96, f32, f32, f32>
  %h5 = mdh.hom.md_hom %in5 combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.divf %p, %s : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<96x16x96, f32, f32, f32> -> !mdh.mda<96x16x1, f32>
  %w = mdh.view.out_view %h5[affine_map<(i, d, j) -> (i, d)>] : !mdh.mda<96x16x1, f32> -> tensor<96x16xf32>
  return %w : tensor<96x16xf32>
}

// Without rows there are no parts.
// RUN: mdh run %s --function no_rows --machine %S/Inputs/small-caches.json --input %t3.npy --input %t4.npy --check
func.func @no_rows(%x: tensor<0x96xf32>, %y: tensor<96x96xf32>) -> tensor<0x96xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, k)>], %y[affine_map<(i, j, k) -> (k, j)>] : (tensor<0x96xf32>, tensor<96x96xf32>) -> !mdh.mda<0x96x96, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<0x96x96, f32, f32> -> !mdh.mda<0x96x1, f32>
  %product = mdh.view.out_view %h[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<0x96x1, f32> -> tensor<0x96xf32>
  %in2 = mdh.view.inp_view %product[affine_map<(i, j) -> (i, j)>] : (tensor<0x96xf32>) -> !mdh.mda<0x96, f32>
  %h2 = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %e = arith.negf %a : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<0x96, f32> -> !mdh.mda<0x96, f32>
  %w = mdh.view.out_view %h2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<0x96, f32> -> tensor<0x96xf32>
  return %w : tensor<0x96xf32>
}
