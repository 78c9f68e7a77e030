// The scalar phase of a kernel maps other levels to threads than the re-composition.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @device:
// CHECK-NEXT:kernel of threads (4, 1) × 6 of S:
// CHECK-NEXT:  scalar phase into SM[1]:
// CHECK-NEXT:    threads for level (4, 1), 6 parts:
// CHECK-NEXT:      for level (4, 2), 8 parts:
// CHECK-NEXT:        scalar function
// CHECK-NEXT:  for level (4, 1), 6 parts:
// CHECK-NEXT:    for level (4, 2), 8 parts, in memory:
// CHECK-NEXT:      results of the scalar phase
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @device, parts = [[1, 1], [1, 1], [1, 1], [6, 8], [1, 1]], decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, scalar = {tags = [["SMX,x", "SMX,y"], ["SM,x", "SM,y"], ["DM,x", "DM,y"], ["CC,x", "RM,y"], ["RM,x", "CC,y"]], writes = ["SM[1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
  return
}
