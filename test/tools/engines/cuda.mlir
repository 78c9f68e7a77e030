// Without NVIDIA's driver, a one-sentence message is printed, and the exit code is 4.
// UNSUPPORTED: cuda
// RUN: bash -c 'mdh run %s --engine cuda --input 1; echo "exit code $?"' > %t 2>&1
// RUN: FileCheck %s --match-full-lines < %t
// CHECK-NOT: {{.}}
// CHECK: error: no CUDA device: there is no driver library libcuda.so.1; {{.*}}
// CHECK-NEXT: exit code 4

func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
