// A reader that closes the pipe early is not an error; a full device is one.
// RUN: not mdh-opt --lower-mdh %s 2>&1 > /dev/full | FileCheck %s
// RUN: not mdh-opt --lower-mdh %s -o /dev/full 2>&1 | FileCheck %s
// CHECK: error: fatal LLVM error: IO failure on output stream: No space left on device
// CHECK-NOT: panicked
func.func @matvec(%M: tensor<4x6xf32>, %v: tensor<6xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<4x6xf32>, tensor<6xf32>) -> !mdh.mda<4x6, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4x6, f32, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
