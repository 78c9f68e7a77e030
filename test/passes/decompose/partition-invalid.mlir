// RUN: mdh-opt %s --mdh-partition --split-input-file --verify-diagnostics

func.func @unscheduled(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @+1 {{requires a schedule: run mdh-schedule first}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----
mdh.lowlevel.system @small memory [MM: global] cores [COR: threads]

func.func @other_size(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @+1 {{S2: the part counts of dimension 1 multiply to 6, but its extent is 8}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {
    system = @small, parts = [[2], [3]], decompose = {tags = [["COR,x"], ["MM,x"]]}
  }} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}
