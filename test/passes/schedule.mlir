// RUN: mdh-opt %s --mdh-schedule | FileCheck %s
// RUN: mdh-opt %s --mdh-schedule=system=cuda | FileCheck %s --check-prefix=CUDA
// RUN: mdh-opt %s --mdh-schedule=file=%S/schedule/Inputs/two.json | FileCheck %s --check-prefix=FILE
// RUN: mdh-opt %s --mdh-schedule | mdh-opt --mdh-schedule=system=cuda | FileCheck %s
// RUN: not mdh-opt %s --mdh-schedule=system=abacus 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not mdh-opt %s --mdh-schedule=threads=-1 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not mdh-opt %s --mdh-schedule=threads=65537 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not mdh-opt %s --mdh-schedule=file=%S/schedule/Inputs/one.json 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not mdh-opt %s --mdh-schedule=file=%S/schedule/Inputs/other-function.json 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not mdh-opt %s --mdh-schedule=file=%S/schedule/Inputs/none.json 2>&1 | FileCheck %s --check-prefix=NONE

// A schedule and its system; a system is declared once.
// CHECK-COUNT-1: mdh.lowlevel.system @cpu memory [MM: global, L3: cache, L2: cache, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [L3, REG]
// CHECK-NOT: mdh.lowlevel.system
// CUDA: mdh.lowlevel.system @cuda memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM] limit [?, 1024]
// FILE-DAG: mdh.lowlevel.system @openmp
// FILE-DAG: mdh.lowlevel.system @cpu

// CHECK-LABEL: func.func @two
// FILE-LABEL: func.func @two
func.func @two(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // CHECK: mdh.hom.md_hom {{.*}}schedule = {{.*}}system = @cpu
  // FILE: mdh.hom.md_hom {{.*}}schedule = {{.*}}system = @cpu
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  // CHECK: mdh.hom.md_hom {{.*}}schedule = {{.*}}system = @cpu
  // FILE: mdh.hom.md_hom {{.*}}schedule = {{.*}}parts = [array<i64: 4>, array<i64: 2>, array<i64: 1>, array<i64: 1>], system = @openmp
  %s = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %p = mdh.view.out_view %s[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o, %p : tensor<8xf32>, tensor<8xf32>
}

// THREADS: error: the number of threads must be between 0 and 65536, but is -1
// MANY: error: the number of threads must be between 0 and 65536, but is 65537
// SYSTEM: error: {{.*}}unknown system "abacus": requires one of the module or artificial, openmp,
// ONE: error: {{.*}}one.json: one schedule requires one computation, but the module has 2: name the functions under "schedules"
// FUNCTION: error: {{.*}}other-function.json: no computation in @three, only in @two
// NONE: error: cannot read the schedule file {{.*}}none.json: no such file
