// Real and imaginary parts that are interleaved in memory are apart in a packed part, and two products are added to an
// accumulator one after the other.
// RUN: mdh-opt %s --lower-mdh="machine=%S/../../../examples/machines/avx512.json threads=1 stop-after=loops" | FileCheck %s
// RUN: mdh-opt %s --lower-mdh="machine=%S/../../../examples/machines/avx512.json threads=1 strict=true stop-after=loops" | FileCheck %s --check-prefix=STRICT
// CHECK: memref.alloc() {{.*}} : memref<16x512x2x32xf32>
// CHECK: scf.for {{.*}} iter_args(%[[RE:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, {{.*}}
// CHECK: %[[AC:.*]] = arith.mulf
// CHECK: %[[BD:.*]] = arith.mulf
// CHECK: %[[FIRST:.*]] = arith.addf %[[RE]], %[[AC]] fastmath<contract> : vector<16xf32>
// CHECK: arith.subf %[[FIRST]], %[[BD]] fastmath<contract> : vector<16xf32>
// STRICT: %[[AC:.*]] = arith.mulf
// STRICT: %[[BD:.*]] = arith.mulf
// STRICT: arith.subf %[[AC]], %[[BD]] : vector<16xf32>

#a_re = affine_map<(i, j, k) -> (i, k, 0)>
#a_im = affine_map<(i, j, k) -> (i, k, 1)>
#b_re = affine_map<(i, j, k) -> (k, j, 0)>
#b_im = affine_map<(i, j, k) -> (k, j, 1)>
#c_re = affine_map<(i, j, k) -> (i, j, 0)>
#c_im = affine_map<(i, j, k) -> (i, j, 1)>
func.func @matmul(%A: tensor<512x512x2xf32>, %B: tensor<512x512x2xf32>) -> tensor<512x512x2xf32> {
  %in = mdh.view.inp_view %A[#a_re, #a_im], %B[#b_re, #b_im] : (tensor<512x512x2xf32>, tensor<512x512x2xf32>) -> !mdh.mda<512x512x512, f32, f32, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %ac = arith.mulf %a, %c : f32
    %bd = arith.mulf %b, %d : f32
    %ad = arith.mulf %a, %d : f32
    %bc = arith.mulf %b, %c : f32
    %re = arith.subf %ac, %bd : f32
    %im = arith.addf %ad, %bc : f32
    mdh.hom.yield %re, %im : f32, f32
  } : !mdh.mda<512x512x512, f32, f32, f32, f32> -> !mdh.mda<512x512x1, f32, f32>
  %w = mdh.view.out_view %h[#c_re, #c_im] : !mdh.mda<512x512x1, f32, f32> -> tensor<512x512x2xf32>
  return %w : tensor<512x512x2xf32>
}
#aa = affine_map<(i, j, k) -> (i, k)>
