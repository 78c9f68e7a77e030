// The error for a schedule of another size or computation names both.
// RUN: mdh-opt %s --mdh-schedule=file=%S/Inputs/one.json | FileCheck %s
// RUN: not mdh-opt %s --mdh-schedule=file=%S/Inputs/other-size.json 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not mdh-opt %s --mdh-schedule=file=%S/Inputs/two-dimensions.json 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not mdh-opt %s --mdh-schedule=file=%examples/schedules/matvec_figure17.json 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not mdh-opt %s --mdh-schedule=file=%s 2>&1 | FileCheck %s --check-prefix=JSON

// CHECK: system = @openmp
// SIZE: other-size.json: the schedule of computation 1 in @one: S2: the part counts of dimension 1 multiply to 6, but its extent is 8
// RANK: the schedule of computation 1 in @one: parts[0]: an entry for a dimension is required, 1 altogether, but there are 2
// JSON: error: {{.*}}: the schedule is no JSON: expected value at line 1 column 1
func.func @one(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}
