// The rows of bench.gpu that are not among the examples.

func.func @transpose_8192(%A: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (j, i)>] : (tensor<8192x8192xf32>) -> !mdh.mda<8192x8192, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8192x8192, f32> -> !mdh.mda<8192x8192, f32>
  %out = mdh.view.out_view %res[affine_map<(i, j) -> (i, j)>] : !mdh.mda<8192x8192, f32> -> tensor<8192x8192xf32>
  return %out : tensor<8192x8192xf32>
}

func.func @transpose_small(%A: tensor<70x45xf32>) -> tensor<45x70xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (j, i)>] : (tensor<70x45xf32>) -> !mdh.mda<45x70, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<45x70, f32> -> !mdh.mda<45x70, f32>
  %out = mdh.view.out_view %res[affine_map<(i, j) -> (i, j)>] : !mdh.mda<45x70, f32> -> tensor<45x70xf32>
  return %out : tensor<45x70xf32>
}

func.func @matmul_4096(%A: tensor<4096x4096xf32>, %B: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> !mdh.mda<4096x4096x4096, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<4096x4096x4096, f32, f32> -> !mdh.mda<4096x4096x1, f32>
  %out = mdh.view.out_view %res[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<4096x4096x1, f32> -> tensor<4096x4096xf32>
  return %out : tensor<4096x4096xf32>
}

func.func @histo_16777216x256(%Elems: tensor<16777216xi32>, %Bins: tensor<256xi32>) -> tensor<256xi32> {
  %in = mdh.view.inp_view %Elems[affine_map<(e, b) -> (e)>], %Bins[affine_map<(e, b) -> (b)>]
      : (tensor<16777216xi32>, tensor<256xi32>) -> !mdh.mda<16777216x256, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%e: i32, %b: i32):
    %hit = arith.cmpi eq, %e, %b : i32
    %count = arith.extui %hit : i1 to i32
    mdh.hom.yield %count : i32
  } : !mdh.mda<16777216x256, i32, i32> -> !mdh.mda<1x256, i32>
  %out = mdh.view.out_view %res[affine_map<(e, b) -> (b)>] : !mdh.mda<1x256, i32> -> tensor<256xi32>
  return %out : tensor<256xi32>
}
