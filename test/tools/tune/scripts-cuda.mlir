// A script of kernels: the tuner measures what it leaves open.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %on-ptx-driver mdh tune %s --function product --engine cuda --budget 3 --database %t/tuned.db --output %t/product.json \
// RUN:   | FileCheck %s --check-prefix=TUNED
// TUNED: 3 evaluations in {{.*}} s
// RUN: FileCheck %s --check-prefix=PRODUCT --input-file=%t/product.json
// PRODUCT: "system": "cuda"
// PRODUCT: SM[1, 2]
// RUN: %on-ptx-driver mdh run %s --function product --input 1 --input 2 --engine cuda --check --database %t/tuned.db \
// RUN:   | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

mdh.lowlevel.schedule @product on @cuda {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [?]
  %j1, %j2 = mdh.lowlevel.tile %j by [8]
  %k1, %k2 = mdh.lowlevel.tile %k by [?]
  mdh.lowlevel.interchange %i1, %j1, %i2, %j2, %k1, %k2
  mdh.lowlevel.parallelize %i1 on SMX
  mdh.lowlevel.parallelize %j1 on SMX
  mdh.lowlevel.parallelize %i2 on CC
  mdh.lowlevel.parallelize %j2 on CC
  mdh.lowlevel.cache input 1 in SM at %k2
  mdh.lowlevel.cache input 2 in SM at %k2
  mdh.lowlevel.combine_in output 1 RM at %k1
}
func.func @product(%A: tensor<24x16xf32>, %B: tensor<16x32xf32>) -> tensor<24x32xf32> {
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
