// Levels of warps and threads are rounded up to whole warps.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @warps:
// CHECK-NEXT:kernel of warps (2, 1) × 2, threads (3, 1) × 8:
// CHECK-NEXT:  warps for level (2, 1), 2 parts, in a tree across warps, results of a part in DM[]:
// CHECK-NEXT:    threads for level (3, 1), 8 parts, in a tree across threads:
// CHECK-NEXT:      in registers:
// CHECK-NEXT:        for level (4, 1), 4 parts, carried:
// CHECK-NEXT:          scalar function
mdh.lowlevel.system @warps memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]

func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @warps, parts = [[1], [2], [8], [4], [1], [1]], decompose = {tags = [["SMX,x"], ["WRP,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
