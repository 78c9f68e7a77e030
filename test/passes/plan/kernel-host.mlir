// Blocks combine twice: the host loops over the outer parts.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @device:
// CHECK-NEXT:for level (1, 1), 2 parts, in a tree across blocks, results of a part in DM[]:
// CHECK-NEXT:  kernel of threads (2, 2) × 2, blocks (1, 2) × 4:
// CHECK-NEXT:    blocks for level (1, 2), 4 parts, in a tree across blocks, results of a part in DM[]:
// CHECK-NEXT:      threads for level (2, 2), 2 parts, in a tree across threads:
// CHECK-NEXT:        in registers:
// CHECK-NEXT:          for level (3, 1), 2 parts, carried:
// CHECK-NEXT:            scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @sum(%M: memref<4x8xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.pw<add>] attributes {schedule = {system = @device, parts = [[2, 4], [1, 2], [2, 1], [1, 1], [1, 1]], decompose = {order = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<1x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> ()>] into %s : !mdh.mda<1x1, f32>, memref<f32>
  return
}
