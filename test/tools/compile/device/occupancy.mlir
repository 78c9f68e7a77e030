// A thread with 64 accumulators may have 88 other registers, so three blocks of 128 threads are asked for; with few blocks
// there is no use for so many, and without a loop that carries values nothing is asked for. The results of a thread are
// stored together.
// RUN: mdh compile %s --function large --schedule %S/../Inputs/occupancy.json --target cuda --arch sm_90 --emit ptx | FileCheck %s --check-prefix=LARGE
// RUN: mdh compile %s --function copy --target cuda --arch sm_90 --emit ptx | FileCheck %s --check-prefix=COPY

// LARGE: .reqntid 32, 4, 1
// LARGE-NEXT: .minnctapersm 3
// LARGE: cp.async.cg.shared.global
// LARGE-COUNT-16: st.global.v4.b32
// LARGE-NOT: st.global

// COPY: .minnctapersm 1
// COPY: ld.global.nc.v4.b32
// COPY: st.global.v4.b32

#A = affine_map<(i, j, k) -> (i, k)>
#B = affine_map<(i, j, k) -> (k, j)>
#C = affine_map<(i, j, k) -> (i, j)>
#i = affine_map<(i) -> (i)>

func.func @large(%A: tensor<4096x4096xf32>, %B: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %in = mdh.view.inp_view %A[#A], %B[#B] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> !mdh.mda<4096x4096x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<4096x4096x4096, f32, f32> -> !mdh.mda<4096x4096x1, f32>
  %out = mdh.view.out_view %res[#C] : !mdh.mda<4096x4096x1, f32> -> tensor<4096x4096xf32>
  return %out : tensor<4096x4096xf32>
}

func.func @copy(%X: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %in = mdh.view.inp_view %X[#i] : (tensor<16777216xf32>) -> !mdh.mda<16777216, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: f32):
    %y = arith.negf %x : f32
    mdh.hom.yield %y : f32
  } : !mdh.mda<16777216, f32> -> !mdh.mda<16777216, f32>
  %out = mdh.view.out_view %res[#i] : !mdh.mda<16777216, f32> -> tensor<16777216xf32>
  return %out : tensor<16777216xf32>
}
