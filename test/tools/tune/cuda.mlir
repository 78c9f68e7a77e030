// Kernels are tuned on the driver of the tests: candidates are compared with the reference evaluator there, and the database keeps the
// rows of each engine apart.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %on-ptx-driver mdh tune %s --function product --engine cuda --budget 4 --database %t/tuned.db | FileCheck %s
// CHECK: product: {{.*}} with the default schedule, {{.*}} with the best one, {{.*}} times as fast
// CHECK-NEXT: 4 evaluations in {{.*}} s
// RUN: mdh database list --database %t/tuned.db --json | FileCheck %s --check-prefix=LIST
// LIST: "engine": "cuda"
// RUN: mdh database export product --database %t/tuned.db --output %t/best.json
// RUN: FileCheck %s --check-prefix=SYSTEM --input-file=%t/best.json
// SYSTEM: "system": "cuda{{.*}}"
// RUN: %on-ptx-driver mdh run %s --function product --input 1 --input 2 --engine cuda --check --database %t/tuned.db \
// RUN:   | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// On the host the function is not tuned yet.
// RUN: mdh explain %s --function product --database %t/tuned.db --export %t/host.json
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t/host.json
// HOST: "system": "cpu"

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
