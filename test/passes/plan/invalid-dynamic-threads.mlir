// The number of threads depends on an extent.
// RUN: not mdh explain %s --plan 2>&1 | FileCheck %s

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

// CHECK: invalid-dynamic-threads.mlir:[[#@LINE+3]]:8: error: requires a static number of threads, but a level of threads has ? parts of a dynamic extent
func.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @device, parts = [[1], ["?"], [1], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<?, f32>, memref<?xf32>
  return
}
