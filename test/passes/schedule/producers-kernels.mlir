// RUN: mdh-opt %s --lower-mdh="target=cuda stop-after=loops" --verify-diagnostics

// Kernels compute no producers: an error and no other result.
func.func @normalized(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [3, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  // expected-error @below {{F6: requires a schedule without at for the computations that it reads: kernels compute all of their results at once}}
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], [6, 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
