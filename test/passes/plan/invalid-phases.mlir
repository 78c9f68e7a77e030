// The blocks of the scalar phase are not those of the re-composition.
// RUN: not mdh explain %s --plan 2>&1 | FileCheck %s

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

// CHECK: invalid-phases.mlir:[[#@LINE+3]]:8: error: S11: the parts of level (2, 1) are those of SMX in the scalar phase and not in the re-composition phase, so the results of the scalar phase go to other blocks, and output buffer 1 must be in DM, but is in SM
func.func @copy(%x: memref<12xf32>, %y: memref<12xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<12xf32>) -> !mdh.mda<12, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @device, parts = [[3], [4], [1], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}, scalar = {tags = [["CC,x"], ["SMX,x"], ["DM,x"], ["SM,x"], ["RM,x"]], writes = ["SM[1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<12, f32> -> !mdh.mda<12, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<12, f32>, memref<12xf32>
  return
}
