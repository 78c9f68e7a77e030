// Default schedules of kernels are for a device: a built-in one, or one from a machine file.
// RUN: mdh explain %s --system cuda_wrp --why | FileCheck %s
// CHECK: loops: blocks {{.*}} on x, {{.*}} · warps {{.*}} · threads y {{.*}} on x{{.*}} · [input 1, 2 to SM] · registers {{.*}} · loops z
// CHECK-NEXT: expected: {{[0-9.]+}} {{ns|µs|ms}}, bound by
// CHECK: from shared memory and L1: {{.*}} in
// CHECK-NEXT: from L2: {{.*}} in
// CHECK-NEXT: from memory: {{.*}} in
// CHECK-NEXT: kernels and combination:
// CHECK-NEXT: occupancy: {{[0-9]+}} blocks of {{[0-9]+}} threads, {{[0-9]+}} at a time on each of 132 units; {{[0-9]+}} registers a thread, {{.*}}B of shared memory a block

// RUN: echo '{"device": {"name": "a100", "compute_units": 7}}' > %t.json
// RUN: mdh explain %s --system cuda --why --machine %t.json | FileCheck %s --check-prefix=SMALL
// SMALL: at a time on each of 7 units
// RUN: mdh explain %s --system opencl --why | FileCheck %s --check-prefix=OPENCL
// OPENCL: at a time on each of 4 units
// RUN: echo '{"device": "abacus"}' > %t.wrong.json
// RUN: not mdh explain %s --system cuda --machine %t.wrong.json 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}the device: an object or the name of a device is required, one of h200, h100, a100, v100, opencl_cpu, but it is "abacus"

// A given schedule that needs more registers than the device has causes a warning.
// RUN: mdh explain %s --system cuda --export %t.default.json
// RUN: echo '{"device": {"name": "a100", "registers_per_thread": 16}}' > %t.thread.json
// RUN: mdh explain %s --schedule %t.default.json --machine %t.thread.json 2>&1 | FileCheck %s --check-prefix=THREAD
// THREAD: warning: {{.*}}: a thread needs about {{[0-9]+}} registers, but has at most 16 on the device a100
// RUN: echo '{"device": {"name": "a100", "registers_per_unit": 1024}}' > %t.unit.json
// RUN: mdh explain %s --schedule %t.default.json --machine %t.unit.json 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: warning: {{.*}}: a block of {{[0-9]+}} threads needs about {{[0-9]+}} registers each, but a unit of the device a100 has 1024
// RUN: mdh explain %s --schedule %t.default.json 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// QUIET: a block has

// The first candidate is the default, and every candidate gives the same result on the host.
// RUN: rm -rf %t && mdh explain %s --system cuda_wrp --candidates 3 --output %t
// RUN: mdh explain %s --system cuda_wrp --export %t/default.json
// RUN: cmp %t/default.json %t/candidate-01.json
// RUN: mdh run %s --input 0.5 --input 2 --schedule %t/candidate-01.json --check --output %t/01.npy | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --input 0.5 --input 2 --schedule %t/candidate-03.json --output %t/03.npy
// RUN: cmp %t/01.npy %t/03.npy
// AGREES: agrees with the reference evaluator

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @matmul(%A: tensor<600x500xf32>, %B: tensor<500x400xf32>) -> tensor<600x400xf32> {
  %in = mdh.view.inp_view %A[#ik], %B[#kj] : (tensor<600x500xf32>, tensor<500x400xf32>) -> !mdh.mda<600x400x500, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<600x400x500, f32, f32> -> !mdh.mda<600x400x1, f32>
  %C = mdh.view.out_view %r[#ij] : !mdh.mda<600x400x1, f32> -> tensor<600x400xf32>
  return %C : tensor<600x400xf32>
}
