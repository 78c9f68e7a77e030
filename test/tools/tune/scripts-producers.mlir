// Scripts of a computation in parts of another one: the tuner measures what they leave open.

// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh tune %s --function normalized --threads 2 --budget 3 --database %t/tuned.db --output %t/normalized.json \
// RUN:   | FileCheck %s --check-prefix=TUNED
// TUNED: 3 evaluations in {{.*}} s
// RUN: FileCheck %s --check-prefix=NORMALIZED --input-file=%t/normalized.json
// NORMALIZED: "consumer": 2
// RUN: mdh run %s --function normalized --threads 2 --input 1 --check --database %t/tuned.db | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

mdh.lowlevel.schedule @normalized computation 1 {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.compute_at computation 2 level(1, 1)
  %k1, %k2 = mdh.lowlevel.tile %k by [?]
  mdh.lowlevel.vectorize %k2
}
mdh.lowlevel.schedule @normalized computation 2 {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  mdh.lowlevel.parallelize %i
  %j1, %j2 = mdh.lowlevel.tile %j by [?]
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
