// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators | FileCheck %s

// Tags differ between the phases, and swizzle the dimensions of the cores.
mdh.lowlevel.system @small memory [MM: global] cores [COR: threads]

// CHECK-LABEL: func.func @swizzled
func.func @swizzled(%A: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // CHECK: decompose {{.*}} level(1, 1) parts 2 tag #mdh.tag<COR, y> :
  // CHECK: decompose {{.*}} level(1, 2) parts 4 tag #mdh.tag<COR, x> :
  // CHECK: decompose {{.*}} level(2, 1) parts 3 tag #mdh.tag<MM, x> :
  // CHECK: decompose {{.*}} level(2, 2) parts 2 tag #mdh.tag<MM, y> :
  // CHECK: scalar {{.*}} tags [#mdh.tag<COR, y>, #mdh.tag<COR, x>, #mdh.tag<MM, x>, #mdh.tag<MM, y>] attributes {mdh.schedule
  // CHECK: recompose {{.*}} level(2, 2) parts 2 tag #mdh.tag<COR, y> :
  // CHECK: recompose {{.*}} level(2, 1) parts 3 tag #mdh.tag<COR, x> :
  // CHECK: recompose {{.*}} level(1, 2) parts 4 tag #mdh.tag<MM, y> :
  // CHECK: recompose {{.*}} level(1, 1) parts 2 tag #mdh.tag<MM, x> :
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {
    system = @small, parts = [[2, 4], [3, 2]],
    decompose = {tags = [["COR,y", "COR,x"], ["MM,x", "MM,y"]]},
    recompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"]]}
  }} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x8, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %o : tensor<6x8xf32>
}
