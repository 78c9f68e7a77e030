// All steps are one kernel: blocks and threads own parts, and come first.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@copy, computation 1, on @device:
// CHECK-NEXT:kernel of blocks (1, 1) × 3, threads (2, 1) × 4:
// CHECK-NEXT:  blocks for level (1, 1), 3 parts:
// CHECK-NEXT:    threads for level (2, 1), 4 parts:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @copy(%x: memref<12xf32>, %y: memref<12xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<12xf32>) -> !mdh.mda<12, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @device, parts = [[3], [4], [1], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<12, f32> -> !mdh.mda<12, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<12, f32>, memref<12xf32>
  return
}
