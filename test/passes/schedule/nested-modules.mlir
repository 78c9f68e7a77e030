// RUN: mdh-opt %s --mdh-schedule=system=cpu | FileCheck %s

// Passes and verifiers look up a symbol in the nearest module only: the system of the outer module is not visible
// in the inner one, which gets the built-in one.
// CHECK: module {
// CHECK-NEXT: mdh.lowlevel.system @cpu memory [A: global] cores []
mdh.lowlevel.system @cpu memory [A: global] cores []
// CHECK-NEXT: module @inner {
module @inner {
  // CHECK-NEXT: mdh.lowlevel.system @cpu memory [MM: global, L3: cache, L2: cache, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes]
  // CHECK: tags = {{\[\[}}"COR,x"]
  func.func @f(%x: memref<8xf32>, %o: memref<8xf32>) {
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
    %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: f32):
      mdh.hom.yield %a : f32
    } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
    mdh.view.out_view %r[affine_map<(i) -> (i)>] into %o : !mdh.mda<8, f32>, memref<8xf32>
    return
  }
}
