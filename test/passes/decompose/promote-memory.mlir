// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory | FileCheck %s

// Regions and layouts, by buffer; the chain replaces the schedule attribute.
mdh.lowlevel.system @deep memory [MM: global, L1: cache] cores [COR: threads]

// CHECK-LABEL: func.func @transposed
func.func @transposed(%A: memref<6x8xf32>, %s: memref<f32>) -> memref<8x6xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>], %s[affine_map<(i, j) -> ()>]
      : (memref<6x8xf32>, memref<f32>) -> !mdh.mda<6x8, f32, f32>
  // CHECK: decompose {{.*}} level(1, 1) parts 1 tag #mdh.tag<COR, x> reads [MM[1, 2], MM[]] :
  // CHECK: decompose {{.*}} level(2, 1) parts 3 tag #mdh.tag<MM, x> reads [L1[2, 1], MM[]] :
  // CHECK: decompose {{.*}} level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[]] :
  // CHECK: scalar {{.*}} reads [L1[2, 1], L1[]] writes [L1[1, 2]] {
  // CHECK-NOT: mdh.schedule
  // CHECK: recompose {{.*}} level(3, 1) parts 2 tag #mdh.tag<L1, x> writes [L1[2, 1]] :
  // CHECK: recompose {{.*}} level(1, 1) parts 1 tag #mdh.tag<COR, x> writes [MM[1, 2]] :
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {
    system = @deep, parts = [[1, 4], [3, 1], [2, 2]],
    decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"]], reads = [
      [["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"], ["L1[2, 1]", "L1[2, 1]"]],
      [["MM[]", "MM[]"], ["MM[]", "MM[]"], ["MM[]", "L1[]"]]
    ]},
    scalar = {reads = ["L1[2, 1]", "L1[]"], writes = ["L1[1, 2]"]},
    recompose = {writes = [[["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"]]]}
  }} {
  ^bb0(%a: f32, %f: f32):
    %p = arith.mulf %a, %f : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (j, i)>] : !mdh.mda<6x8, f32> -> memref<8x6xf32>
  return %o : memref<8x6xf32>
}
