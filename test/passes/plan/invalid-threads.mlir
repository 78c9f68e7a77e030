// A block has more threads than any device.
// RUN: not mdh explain %s --plan 2>&1 | FileCheck %s

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

// CHECK: invalid-threads.mlir:[[#@LINE+3]]:8: error: requires at most 1024 threads in a block on any device, but the schedule has 2048: 2048 for level (2, 1)
func.func @copy(%x: memref<2048xf32>, %y: memref<2048xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<2048xf32>) -> !mdh.mda<2048, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @device, parts = [[1], [2048], [1], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2048, f32> -> !mdh.mda<2048, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<2048, f32>, memref<2048xf32>
  return
}
