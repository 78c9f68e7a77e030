// Tuning measures schedules and records them; commands and passes take the best one from the database.

// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh tune %s --function product --budget 4 --strategy model --database %t/tuned.db --report %t/page.html \
// RUN:   | FileCheck %s --check-prefix=TUNED
// TUNED: product: {{.*}} with the default schedule, {{.*}} with the best one, {{.*}} times as fast
// TUNED-NEXT: 4 evaluations in {{.*}} s
// TUNED-NEXT: errors up to {{.*}} of the largest element are tolerated
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t/page.html
// PAGE: <title>Tuning of @product

// The last comparison changes the ratios of all rows, and leaves the times at which they were measured.
// RUN: mdh database export --format json --database %t/tuned.db > %t/rows.json
// RUN: %python %S/Inputs/times.py %t/rows.json

// A second session measures nothing twice.
// RUN: mdh tune %s --function product --budget 2 --strategy model --database %t/tuned.db --json --output %t/own.json \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// AGAIN: "extents": "24,32,16"
// AGAIN: "evaluations": 2
// AGAIN: "known": 3
// AGAIN: "unchecked_elements": 0
// RUN: mdh database list --database %t/tuned.db --json | FileCheck %s --check-prefix=LIST
// LIST: "function": "product"
// LIST-NEXT: "rows": {{[45]}}

// All programs use the same schedule.
// RUN: mdh database export product --database %t/tuned.db --output %t/best.json
// RUN: mdh explain %s --function product --database %t/tuned.db --export %t/used.json
// RUN: diff %t/best.json %t/used.json
// RUN: sed '/^func.func @single/,$d' %s > %t/product.mlir
// RUN: mdh-opt %t/product.mlir --lower-mdh=database=%t/tuned.db > %t/tuned.mlir
// RUN: mdh-opt %t/product.mlir --lower-mdh=schedule=%t/best.json | diff %t/tuned.mlir -
// RUN: env MDH_DATABASE=%t/tuned.db mdh compile %s --function product --emit llvm --output %t/environment.ll
// RUN: mdh compile %s --function product --emit llvm --schedule %t/best.json --output %t/schedule.ll
// RUN: diff %t/environment.ll %t/schedule.ll
// RUN: mdh run %s --function product --input 1 --input 2 --check --database %t/tuned.db | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// What cannot be tuned, and a database that cannot be used.
// RUN: not mdh tune %s --function product --budget 4 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: requires --database FILE, the environment variable MDH_DATABASE, or --output FILE: nothing would be recorded
// RUN: not mdh tune %s --function copy --budget 4 --output %t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: '{{.*}}tune.mlir' has no function @copy with a computation
// RUN: not mdh tune %s --function single --budget 4 --output %t/none.json --database %t/none.db 2>&1 | FileCheck %s --check-prefix=SINGLE
// SINGLE: error: 'single' has no choices: its default schedule is the only one
// RUN: not mdh tune %s --function product --input 1 --budget 4 --output %t/none.json --database %t/none.db 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: error: 'product' requires 2 inputs
// RUN: not mdh tune %s --function product --budget 0 --output %t/none.json 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: invalid value '0' for '--budget <TIME|N>': requires a number of evaluations, or a time such as 90s, 10m or 2h, but got '0'
// RUN: not mdh tune %s --function product --engine reference --output %t/none.json 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: error: a tuner requires another engine than reference
// RUN: not ls %t/none.json
// RUN: not ls %t/none.db
// RUN: echo text > %t/text.db
// RUN: not mdh tune %s --function product --budget 4 --database %t/text.db 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: '{{.*}}text.db' is a short file, not a database of tuning results
// RUN: mdh-opt %s --lower-mdh="database=%t/text.db stop-after=schedule" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: warning: default schedules are used instead of tuned ones: '{{.*}}text.db' is a short file, not a database of tuning results

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

func.func @single(%x: tensor<1xf32>) -> tensor<1xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1xf32>) -> !mdh.mda<1, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1, f32> -> !mdh.mda<1, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<1, f32> -> tensor<1xf32>
  return %w : tensor<1xf32>
}

func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
