// Threads scan parts, and carry the sums of the parts before.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sums, computation 1, on @threads:
// CHECK-NEXT:threads for level (1, 1), 8 parts, in a scan across threads, carries in MM[1]:
// CHECK-NEXT:  in registers:
// CHECK-NEXT:    for level (2, 1), 8 parts, in a scan, the first part apart:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @sums(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @threads, parts = [[8], [8]], decompose = {tags = [["COR,x"], ["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}
