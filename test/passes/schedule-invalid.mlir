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
