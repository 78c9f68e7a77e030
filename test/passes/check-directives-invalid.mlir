// A directive that does not fit what is raised is an error at the function of the nest.
// RUN: mdh-opt %s --mdh-check-directives --split-input-file --verify-diagnostics

// expected-error @+1 {{requires loops that are raised, but the loops of this directive stay}}
func.func private @stays(%y: memref<8xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["++"], ["i"]]} {
  return
}

// -----

// expected-error @+1 {{requires the operators of its loops, but has + where 'y' is raised with ps(+)}}
func.func private @scan(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["+"], ["i"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return
}

// -----

// expected-error @+1 {{requires the subscripts of its loops, but has y[i] where 'y' depends on [j]}}
func.func private @row(%x: memref<4x8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "y"})
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["+", "++"], ["i", "j"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<1x8, f32>
  mdh.view.out_view %r[affine_map<(i, j) -> (j)>] into %y : !mdh.mda<1x8, f32>, memref<8xf32>
  return
}

// -----

// A part of the loops stays.
// expected-error @+1 {{requires all outputs of its loops, but has not 'z'}}
func.func private @part(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "y"}, %z: memref<8xf32> {mdh.name = "z"},
                        %a: f32) attributes {mdh.nest, mdh.directive = [["y[i]"], ["++"], ["i"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%b: f32):
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  %zero = arith.constant 0 : index
  memref.store %a, %z[%zero] : memref<8xf32>
  return
}

// -----

// expected-error @+1 {{requires all outputs of its loops, but has not a scalar that they compute}}
func.func private @scalar(%x: memref<8xf32> {mdh.name = "x"}, %y: memref<8xf32> {mdh.name = "y"}, %a: f32) -> f32
    attributes {mdh.nest, mdh.directive = [["y[i]"], ["++"], ["i"]]} {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%b: f32):
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<8, f32>, memref<8xf32>
  return %a : f32
}
