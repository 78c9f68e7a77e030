// Blocks combine in global memory: each part has its own blocks, and another kernel combines them.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @device:
// CHECK-NEXT:kernel of threads (2, 1) × 4, blocks (1, 1) × 4:
// CHECK-NEXT:  blocks for level (1, 1), 4 parts, in a tree across blocks, results of a part in DM[]:
// CHECK-NEXT:    threads for level (2, 1), 4 parts, in a tree across threads:
// CHECK-NEXT:      in registers:
// CHECK-NEXT:        for level (3, 1), 4 parts, carried:
// CHECK-NEXT:          scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @device, parts = [[4], [4], [4], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
