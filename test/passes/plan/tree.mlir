// Threads have partial results, which are combined after the parallel loop.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @threads:
// CHECK-NEXT:threads for level (1, 1), 8 parts, in a tree across threads, results of a part in MM[]:
// CHECK-NEXT:  in registers:
// CHECK-NEXT:    for level (2, 1), 8 parts, carried:
// CHECK-NEXT:      scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[8], [8]], decompose = {tags = [["COR,x"], ["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
