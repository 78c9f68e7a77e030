// Scripts of a computation and its consumer: the sums of rows are computed in the loop over the rows that they divide.
// RUN: mdh-opt %s --mdh-schedule=print-script -o /dev/null 2>&1 | FileCheck %s
// RUN: mdh explain %s | FileCheck %s --check-prefix=EXPLAIN
// RUN: %python %S/../../raise/Inputs/arrays.py %t 13x40
// RUN: mdh run %s --input %t0.npy --check

// CHECK: @normalized, computation 1, on @cpu: x 13 · y 40
// CHECK-NEXT: {{^}}  compute_at: x ? · y 40
// CHECK-NEXT: {{^}}  tile: x ? · y 5 · y 8
// CHECK-NEXT: {{^}}  vectorize: x ? · y 5 · vector y 8
// CHECK: @normalized, computation 2, on @cpu: x 13 · y 40
// CHECK-NEXT: {{^}}  parallelize: threads x 13 · y 40
// CHECK-NEXT: {{^}}  tile: threads x 13 · y 5 · y 8
// CHECK-NEXT: {{^}}  vectorize: threads x 13 · y 5 · vector y 8

// EXPLAIN: @normalized, computation 1, on @cpu
// EXPLAIN-NEXT: computed in parts, at level (1, 1) of computation 2
// EXPLAIN: part of the results of computation 1{{ +}}at (1, 1){{ +}}MM[1]{{ +}}4{{ +}}thread
mdh.lowlevel.schedule @normalized computation 1 {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.compute_at computation 2 level(1, 1)
  %k1, %k2 = mdh.lowlevel.tile %k by [8]
  mdh.lowlevel.vectorize %k2
}
mdh.lowlevel.schedule @normalized computation 2 {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  mdh.lowlevel.parallelize %i
  %j1, %j2 = mdh.lowlevel.tile %j by [8]
  mdh.lowlevel.vectorize %j2
}
func.func @normalized(%x: tensor<13x40xf32>) -> tensor<13x40xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<13x40xf32>) -> !mdh.mda<13x40, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<13x40, f32> -> !mdh.mda<13x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<13x1, f32> -> tensor<13xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<13x40xf32>, tensor<13xf32>) -> !mdh.mda<13x40, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<13x40, f32, f32> -> !mdh.mda<13x40, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<13x40, f32> -> tensor<13x40xf32>
  return %y : tensor<13x40xf32>
}
