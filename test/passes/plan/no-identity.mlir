// Without an identity, the first part is computed before the loop.
// RUN: mdh explain %s --plan | FileCheck %s --match-full-lines --strict-whitespace
// CHECK:@sum, computation 1, on @threads:
// CHECK-NEXT:in registers:
// CHECK-NEXT:  for level (1, 1), 64 parts, carried, the first part apart:
// CHECK-NEXT:    scalar function
mdh.lowlevel.system @threads memory [MM: global] cores [COR: threads] combine [MM]

mdh.hom.operator @largest commutative (%a: f32, %b: f32) -> (f32) {
  %m = arith.maximumf %a, %b : f32
  mdh.hom.yield %m : f32
}

func.func @sum(%x: memref<64xf32>, %s: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<@largest>] attributes {schedule = {system = @threads, parts = [[64], [1]], decompose = {tags = [["MM,x"], ["COR,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
  return
}
