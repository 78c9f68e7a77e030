// A script decides a part of a schedule: the tuner measures schedules that have it, and programs use the best of them.

// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh tune %s --function counts --threads 2 --budget 3 --database %t/tuned.db --output %t/counts.json \
// RUN:   | FileCheck %s --check-prefix=TUNED
// RUN: mdh tune %s --function open --threads 2 --budget 3 --database %t/tuned.db --output %t/open.json \
// RUN:   | FileCheck %s --check-prefix=TUNED
// TUNED: 3 evaluations in {{.*}} s
// RUN: mdh explain %s --function counts --threads 2 --database %t/tuned.db --export - | diff %t/counts.json -
// RUN: mdh explain %s --function open --threads 2 --database %t/tuned.db --export - | diff %t/open.json -
// RUN: mdh explain %s --function counts --threads 2 --database %t/tuned.db --why | FileCheck %s --check-prefix=COUNTS
// COUNTS: vector y 8
// RUN: mdh explain %s --function open --threads 2 --database %t/tuned.db --why | FileCheck %s --check-prefix=OPEN
// OPEN: registers x 3
// RUN: mdh run %s --function open --threads 2 --input 1 --input 2 --check --database %t/tuned.db | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// RUN: not mdh tune %s --function closed --budget 3 --output %t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'closed' has no choices: its default schedule is the only one

mdh.lowlevel.schedule @counts on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [?]
  %j1, %j2 = mdh.lowlevel.tile %j by [8]
  mdh.lowlevel.interchange %i1, %j1, %i2, %j2, %k
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.unroll %i2
  mdh.lowlevel.vectorize %j2
}
mdh.lowlevel.schedule @open on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [3]
  mdh.lowlevel.unroll %i2
}
mdh.lowlevel.schedule @closed on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.parallelize %i
  mdh.lowlevel.sequentialize %j on L2
  mdh.lowlevel.sequentialize %k on L1
}
func.func @counts(%A: tensor<24x16xf32>, %B: tensor<16x32xf32>) -> tensor<24x32xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<24x16xf32>, tensor<16x32xf32>) -> !mdh.mda<24x32x16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<24x32x16, f32, f32> -> !mdh.mda<24x32x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<24x32x1, f32> -> tensor<24x32xf32>
  return %w : tensor<24x32xf32>
}
func.func @open(%A: tensor<24x16xf32>, %B: tensor<16x32xf32>) -> tensor<24x32xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<24x16xf32>, tensor<16x32xf32>) -> !mdh.mda<24x32x16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<24x32x16, f32, f32> -> !mdh.mda<24x32x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<24x32x1, f32> -> tensor<24x32xf32>
  return %w : tensor<24x32xf32>
}
func.func @closed(%A: tensor<24x16xf32>, %B: tensor<16x32xf32>) -> tensor<24x32xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<24x16xf32>, tensor<16x32xf32>) -> !mdh.mda<24x32x16, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<24x32x16, f32, f32> -> !mdh.mda<24x32x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<24x32x1, f32> -> tensor<24x32xf32>
  return %w : tensor<24x32xf32>
}
