// RUN: mdh-opt %s --mdh-schedule=system=unknown --split-input-file --verify-diagnostics

func.func @unknown_system(%A: memref<8xf32>) -> memref<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @below {{unknown system "unknown": requires one of the module or artificial, openmp, openmp_l3_simd, cuda, cuda_wrp, opencl, multi_gpu, multi_node_multi_gpu, cpu}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> memref<8xf32>
  return %o : memref<8xf32>
}

// -----

mdh.lowlevel.system @small memory [MM: global] cores []
func.func @too_few_parts(%A: memref<8xf32>) -> memref<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @below {{S2: the part counts of dimension 1 multiply to 4, but its extent is 8}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @small, parts = [[4]], decompose = {tags = [["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> memref<8xf32>
  return %o : memref<8xf32>
}

// -----

// A level of one part is no loop, so a number of parts would compute a point that does not exist.
mdh.lowlevel.system @small memory [MM: global] cores []
func.func @numbers_for_an_empty_dimension(%A: memref<0xf32>, %o: memref<f32>) {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<0xf32>) -> !mdh.mda<0, f32>
  // expected-error @below {{S2: dimension 1 has the extent 0, so one of its part counts must be ?, but all are numbers}}
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @small, parts = [[1]], decompose = {tags = [["MM,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<0, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %r[affine_map<(i) -> ()>] into %o : !mdh.mda<1, f32>, memref<f32>
  return
}
