// Candidate schedules from good to bad: the first is the default, each can be run, and the list is deterministic.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh explain %s --machine %examples/machines/avx512.json --threads 2 --candidates 5 --output %t/new/all > %t/list
// RUN: FileCheck %s --match-full-lines --input-file %t/list
// RUN: ls -A %t/new/all | count 5
// RUN: mdh explain %s --machine %examples/machines/avx512.json --threads 2 --export %t/default.json
// RUN: cmp %t/default.json %t/new/all/candidate-01.json
// RUN: not cmp %t/new/all/candidate-01.json %t/new/all/candidate-05.json
// RUN: mdh explain %s --machine %examples/machines/avx512.json --threads 2 --candidates 5 --output %t/again --json | FileCheck %s --check-prefix=JSON
// RUN: diff -r %t/new/all %t/again
// RUN: mdh run %s --input 0.5 --input 2 --schedule %t/again/candidate-03.json --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --input 0.5 --input 2 --schedule %t/again/candidate-05.json --check | FileCheck %s --check-prefix=AGREES
// CHECK: {{.*}}/new/all/candidate-01.json: {{[0-9.]+}} µs
// CHECK-NEXT: {{.*}}/new/all/candidate-02.json: {{[0-9.]+}} µs
// CHECK-NEXT: {{.*}}/new/all/candidate-03.json: {{[0-9.]+}} µs
// CHECK-NEXT: {{.*}}/new/all/candidate-04.json: {{[0-9.]+}} µs
// CHECK-NEXT: {{.*}}/new/all/candidate-05.json: {{[0-9.]+}} µs
// JSON: [
// JSON-NEXT: {
// JSON-NEXT: "file": "{{.*}}/again/candidate-01.json",
// JSON-NEXT: "expected_seconds": {{[0-9.e-]+}}
// AGREES: agrees with the reference evaluator

// Random schedules exist on every system, those of kernels too, and the seed determines them.
// RUN: mdh explain %s --system artificial --candidates 2 --random 1 --output %t/random | FileCheck %s --check-prefix=RANDOM --match-full-lines
// RUN: mdh explain %s --system artificial --candidates 2 --random 1 --output %t/random-again --json | FileCheck %s --check-prefix=UNKNOWN
// RUN: diff -r %t/random %t/random-again
// RUN: not cmp %t/random/candidate-01.json %t/random/candidate-02.json
// RUN: mdh run %s --input 0.5 --input 2 --schedule %t/random/candidate-02.json --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh explain %s --system cuda --candidates 1 --random 2 --output %t/kernels
// RUN: mdh compile %s --target cuda --schedule %t/kernels/candidate-01.json --emit gpu -o /dev/null
// RANDOM: {{.*}}/random/candidate-01.json
// RANDOM-NEXT: {{.*}}/random/candidate-02.json
// UNKNOWN: "expected_seconds": null

// RUN: not mdh explain %s --system artificial --candidates 2 --output %t/none 2>&1 | FileCheck %s --check-prefix=SYSTEM
// SYSTEM: error: --candidates requires a search: there is none on the system 'artificial', or for such extents
// RUN: not mdh explain %S/threads.mlir --candidates 2 --output %t/none 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: --candidates requires one computation, but there are 2: --function names one
// RUN: not mdh explain %s --candidates 2 --output %t/list/none 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot make the directory '{{.*}}/list/none': not a directory
// RUN: not ls %t/none

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @matmul(%A: tensor<60x50xf32>, %B: tensor<50x40xf32>) -> tensor<60x40xf32> {
  %in = mdh.view.inp_view %A[#ik], %B[#kj] : (tensor<60x50xf32>, tensor<50x40xf32>) -> !mdh.mda<60x40x50, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<60x40x50, f32, f32> -> !mdh.mda<60x40x1, f32>
  %C = mdh.view.out_view %r[#ij] : !mdh.mda<60x40x1, f32> -> tensor<60x40xf32>
  return %C : tensor<60x40xf32>
}
