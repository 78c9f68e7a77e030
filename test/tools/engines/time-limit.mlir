// A kernel that does not end: the process ends after the time limit, with one error.
// RUN: not %on-ptx-driver MDH_TIME_LIMIT=0.5 mdh run %s --engine cuda --input 1 --output %t.npy 2>&1 | FileCheck %s --match-full-lines
// RUN: test ! -e %t.npy
// CHECK-NOT: {{.}}
// CHECK: error: MDH_TIME_LIMIT ended the driver of 'PTX interpreter (sm_90)' while it ran kernels, for more than 0.5 s
// CHECK-NOT: {{.}}

// A limit that is not reached changes nothing, and an invalid one is said.
// RUN: %on-ptx-driver MDH_TIME_LIMIT=600 mdh run %s --engine cuda --input 0 | FileCheck %s --check-prefix=ENDS
// ENDS: 0
// RUN: not %on-ptx-driver MDH_TIME_LIMIT=soon mdh run %s --engine cuda --input 0 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: MDH_TIME_LIMIT requires a number of seconds, more than 0, but is 'soon'

func.func @endless(%start: f32) -> tensor<4xf32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<4>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %end = scf.while (%y = %start) : (f32) -> f32 {
      %goes = arith.cmpf ogt, %y, %zero : f32
      scf.condition(%goes) %y : f32
    } do {
    ^bb0(%y: f32):
      %next = arith.addf %y, %one : f32
      scf.yield %next : f32
    }
    mdh.hom.yield %end : f32
  } : !mdh.mda<4> -> !mdh.mda<4, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
