// The threads of a block combine the results that each has in registers.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @device:
// CHECK-NEXT:kernel of blocks (1, 1) × 8, threads (2, 2) × 4:
// CHECK-NEXT:  blocks for level (1, 1), 8 parts:
// CHECK-NEXT:    threads for level (2, 2), 4 parts, in a tree across threads:
// CHECK-NEXT:      in registers:
// CHECK-NEXT:        unroll level (5, 2) by 4:
// CHECK-NEXT:          scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @rows(%M: memref<8x16xf32>, %w: memref<8xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<8x16xf32>) -> !mdh.mda<8x16, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @device, parts = [[8, 1], [1, 4], [1, 1], [1, 1], [1, 4]], decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8x16, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}
