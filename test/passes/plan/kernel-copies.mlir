// The threads of a block copy to shared memory between barriers, ahead of their use.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@rows, computation 1, on @device:
// CHECK-NEXT:kernel of threads (2, 1) × 4:
// CHECK-NEXT:  threads for level (2, 1), 4 parts:
// CHECK-NEXT:    in registers:
// CHECK-NEXT:      for level (3, 2), 4 parts, carried:
// CHECK-NEXT:        promote input 1 to SM[1, 2] buffers 2, between barriers (D (4, 1))
// CHECK-NEXT:        for level (4, 2), 4 parts, carried:
// CHECK-NEXT:          scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

func.func @rows(%M: memref<4x16xf32>, %w: memref<4xf32>) {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<4x16xf32>) -> !mdh.mda<4x16, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @device, parts = [[1, 1], [4, 1], [1, 4], [1, 4], [1, 1]], decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]], reads = [[["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"], ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"]]]}, scalar = {reads = ["SM[1, 2] buffers 2"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x16, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}
