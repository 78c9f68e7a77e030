// A long sum of floats is summed in blocks.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @threads:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  for level (1, 1), 65536 parts, carried, summed in blocks of 4096:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

func.func @sum(%x: memref<65536xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<65536xf32>) -> !mdh.mda<65536, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @threads, parts = [[65536], [1]], decompose = {tags = [["MM,x"], ["COR,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<65536, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
