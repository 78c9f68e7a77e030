// Producers are computed in parts of their consumer, by default if the cost model predicts a gain, or as a schedule says.
// RUN: mdh-opt %s --mdh-schedule="machine=%S/../../../examples/machines/avx512.json threads=2" | FileCheck %s
// RUN: mdh explain %s --function small --schedule %S/Inputs/producers.json | FileCheck %s --check-prefix=EXPLAIN
// RUN: mdh explain %s --function small --schedule %S/Inputs/producers.json --export %t.json
// RUN: mdh explain %s --function small --schedule %t.json | FileCheck %s --check-prefix=EXPLAIN
// RUN: %python %S/../../raise/Inputs/arrays.py %t 13x40 30x20@5
// RUN: mdh run %s --function small --schedule %S/Inputs/producers.json --input %t0.npy --threads 2 --check
// RUN: mdh run %s --function small --schedule %S/Inputs/producers.json --input %t0.npy --strict --check
// RUN: mdh run %s --function small --input %t0.npy --check
// RUN: mdh run %s --function stencils --input %t1.npy --check

// EXPLAIN: @small, computation 1, on @cpu
// EXPLAIN-NEXT: computed in parts, at level (1, 1) of computation 3
// EXPLAIN: @small, computation 2, on @cpu
// EXPLAIN-NEXT: computed in parts, at level (1, 1) of computation 3
// EXPLAIN: @small, computation 3, on @cpu
// EXPLAIN: part of the results of computation 1{{ +}}at (1, 1){{ +}}MM[1]{{ +}}4{{ +}}thread
// EXPLAIN: part of the results of computation 2{{ +}}at (1, 1){{ +}}MM[1]{{ +}}4{{ +}}thread


// Rows fit into a cache, and the matrix does not: one pass over the matrix instead of three.
// CHECK-LABEL: func.func @large
func.func @large(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4096x4096xf32>) -> !mdh.mda<4096x4096, f32>
  // CHECK: at = {consumer = 3 : i64, level = array<i64: 2, 1>}
  %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4096x4096, f32> -> !mdh.mda<4096x1, f32>
  %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
  %in2 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>] : (tensor<4096x4096xf32>, tensor<4096xf32>) -> !mdh.mda<4096x4096, f32, f32>
  // CHECK: at = {consumer = 3 : i64, level = array<i64: 2, 1>}
  %s = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<4096x4096, f32, f32> -> !mdh.mda<4096x1, f32>
  %sum = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
  %in3 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>], %sum[affine_map<(i, k) -> (i)>] : (tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> !mdh.mda<4096x4096, f32, f32, f32>
  // CHECK-NOT: at = {
  %q = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %c : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<4096x4096, f32, f32, f32> -> !mdh.mda<4096x4096, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i, k)>] : !mdh.mda<4096x4096, f32> -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// All of it fits into the first cache.
// CHECK-LABEL: func.func @small
// CHECK-NOT: at = {
func.func @small(%x: tensor<13x40xf32>) -> tensor<13x40xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<13x40xf32>) -> !mdh.mda<13x40, f32>
  %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<13x40, f32> -> !mdh.mda<13x1, f32>
  %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<13x1, f32> -> tensor<13xf32>
  %in2 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>] : (tensor<13x40xf32>, tensor<13xf32>) -> !mdh.mda<13x40, f32, f32>
  %s = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<13x40, f32, f32> -> !mdh.mda<13x1, f32>
  %sum = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<13x1, f32> -> tensor<13xf32>
  %in3 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>], %sum[affine_map<(i, k) -> (i)>] : (tensor<13x40xf32>, tensor<13xf32>, tensor<13xf32>) -> !mdh.mda<13x40, f32, f32, f32>
  %q = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %c : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<13x40, f32, f32, f32> -> !mdh.mda<13x40, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i, k)>] : !mdh.mda<13x40, f32> -> tensor<13x40xf32>
  return %y : tensor<13x40xf32>
}

// Each part has three rows of the first stencil, of which the next part computes two again.
// CHECK-LABEL: func.func @stencils
func.func @stencils(%x: tensor<30x20xi32>) -> tensor<26x20xi32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<30x20xi32>) -> !mdh.mda<28x20, i32, i32, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [["?", 1], [1, 1], [1, "?"], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %s = arith.addi %a, %b : i32
    %t = arith.muli %s, %c : i32
    mdh.hom.yield %t : i32
  } : !mdh.mda<28x20, i32, i32, i32> -> !mdh.mda<28x20, i32>
  %y = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<28x20, i32> -> tensor<28x20xi32>
  %next = mdh.view.inp_view %y[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, 19 - j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<28x20xi32>) -> !mdh.mda<26x20, i32, i32, i32>
  %q = mdh.hom.md_hom %next combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [[26, 1], [1, 1], [1, 20], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %s = arith.addi %a, %b : i32
    %t = arith.subi %s, %c : i32
    mdh.hom.yield %t : i32
  } : !mdh.mda<26x20, i32, i32, i32> -> !mdh.mda<26x20, i32>
  %z = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<26x20, i32> -> tensor<26x20xi32>
  return %z : tensor<26x20xi32>
}

// The vector between the products is next to nothing beside the matrices: parts save nothing, and would walk along columns.
// CHECK-LABEL: func.func @vectors
// CHECK-NOT: at = {
func.func @vectors(%x: tensor<1x9216xf32>, %w: tensor<4096x9216xf32>, %v: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %a = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, k)>], %w[affine_map<(i, j, k) -> (j, k)>]
      : (tensor<1x9216xf32>, tensor<4096x9216xf32>) -> !mdh.mda<1x4096x9216, f32, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    mdh.hom.yield %m : f32
  } : !mdh.mda<1x4096x9216, f32, f32> -> !mdh.mda<1x4096x1, f32>
  %y = mdh.view.out_view %b[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<1x4096x1, f32> -> tensor<1x4096xf32>
  %c = mdh.view.inp_view %y[affine_map<(i, j, k) -> (i, k)>], %v[affine_map<(i, j, k) -> (j, k)>]
      : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> !mdh.mda<1x4096x4096, f32, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    mdh.hom.yield %m : f32
  } : !mdh.mda<1x4096x4096, f32, f32> -> !mdh.mda<1x4096x1, f32>
  %z = mdh.view.out_view %d[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<1x4096x1, f32> -> tensor<1x4096xf32>
  return %z : tensor<1x4096xf32>
}
