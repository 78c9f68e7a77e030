// The scalar phase has more threads than any device.
// RUN: not mdh explain %s --plan 2>&1 | FileCheck %s

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

// CHECK: invalid-scalar-threads.mlir:[[#@LINE+3]]:8: error: requires at most 1024 threads in a block on any device, but the schedule has 4096: 64 for level (4, 1) of the scalar phase, 64 for level (4, 2) of the scalar phase
func.func @rows(%M: memref<64x64xf32>, %w: memref<64xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<64x64xf32>) -> !mdh.mda<64x64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @device, parts = [[1, 1], [1, 1], [1, 1], [64, 64], [1, 1]], decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, scalar = {tags = [["SMX,x", "SMX,y"], ["SM,x", "SM,y"], ["DM,x", "DM,y"], ["CC,x", "CC,y"], ["RM,x", "RM,y"]], writes = ["SM[1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64x64, f32> -> !mdh.mda<64x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<64x1, f32>, memref<64xf32>
  return
}
