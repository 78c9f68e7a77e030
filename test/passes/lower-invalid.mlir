// RUN: mdh-opt %s --lower-mdh --split-input-file --verify-diagnostics

func.func @result_beyond_memory() -> tensor<4611686018427387904xf32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<4611686018427387904>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %c = arith.constant 1.0 : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<4611686018427387904> -> !mdh.mda<4611686018427387904, f32>
  // expected-error @below {{requires less than 2^63 bytes for each buffer, but this limit is exceeded by the output buffer 1}}
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4611686018427387904, f32> -> tensor<4611686018427387904xf32>
  return %w : tensor<4611686018427387904xf32>
}

// -----

// Separate phases hold the results of all points.
func.func @phase_beyond_memory(%x: memref<f32>, %w: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> ()>] : (memref<f32>) -> !mdh.mda<4294967296x4294967296, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.pw<add>] attributes {schedule = {system = @artificial,
      parts = [[4294967296, 4294967296], [1, 1], [1, 1]],
      decompose = {tags = [["HM,x", "HM,y"], ["COR,x", "COR,y"], ["L1,x", "L1,y"]],
                   reads = [[["HM[]", "HM[]"], ["HM[]", "HM[]"], ["HM[]", "HM[]"]]]},
      scalar = {reads = ["HM[]"]},
      recompose = {order = [[2, 1], [3, 4], [5, 6]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4294967296x4294967296, f32> -> !mdh.mda<1x1, f32>
  // expected-error @below {{requires less than 2^63 bytes for each buffer, but this limit is exceeded by the results of the scalar function of step S}}
  mdh.view.out_view %r[affine_map<(i, j) -> ()>] into %w : !mdh.mda<1x1, f32>, memref<f32>
  return
}

// -----

mdh.lowlevel.system @small memory [MM: global] cores []
func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %d = mdh.lowlevel.decompose %in level(1, 1) parts 8 tag #mdh.tag<MM, x> reads [MM[1]] : !mdh.mda<8, f32>
  %s = mdh.lowlevel.scalar %d on @small order [[1]] tags [#mdh.tag<MM, x>] reads [MM[1]] writes [MM[1]] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %r = mdh.lowlevel.recompose %s combine #mdh.cc level(1, 1) parts 8 tag #mdh.tag<MM, x> writes [MM[1]] : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
