// Blocks scan the parts of the user's operator, whose order counts, before they add the carries.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sums, computation 1, on @device:
// CHECK-NEXT:kernel of blocks (1, 1) × 4:
// CHECK-NEXT:  blocks for level (1, 1), 4 parts, in a scan across blocks, carries in DM[1]:
// CHECK-NEXT:    in registers:
// CHECK-NEXT:      for level (3, 1), 16 parts, in a scan, the first part apart:
// CHECK-NEXT:        scalar function
mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads] combine [DM, SM]

mdh.hom.operator @largest commutative (%a: f32, %b: f32) -> (f32) {
  %m = arith.maximumf %a, %b : f32
  mdh.hom.yield %m : f32
}

func.func @sums(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<@largest>] attributes {schedule = {system = @device, parts = [[4], [1], [16], [1], [1]], decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
