// A directive that fits what is raised is removed.
// RUN: mdh-opt %s --mdh-check-directives | FileCheck %s --implicit-check-not=mdh.directive

// CHECK-LABEL: func.func private @sum_nest
func.func private @sum_nest(%x: memref<4x8xf32> {mdh.name = "x"}, %y: memref<4xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["++", "+"], ["i", "k"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %y : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}

// A buffer with one dimension, whose subscript has both loops; a part of a buffer has the name of the buffer.
// CHECK-LABEL: func.func private @copy_nest
func.func private @copy_nest(%x: memref<4x8xf32> {mdh.name = "x"}, %y: memref<64xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[8*i+k]"], ["++", "++"], ["i", "k"]]} {
  %part = memref.subview %y[0] [32] [1] : memref<64xf32> to memref<32xf32>
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x8, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (8 * i + k)>] into %part : !mdh.mda<4x8, f32>, memref<32xf32>
  return
}

// CHECK-LABEL: func.func private @scan_nest
func.func private @scan_nest(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["ps(+)"], ["i"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}

// Without a name, as in inlined code, an output is compared by its operators.
// CHECK-LABEL: func.func private @inlined_nest
func.func private @inlined_nest(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "of_caller"})
    attributes {mdh.nest, mdh.directive = [["[i]"], ["++"], ["i"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}
