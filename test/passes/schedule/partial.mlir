// A file with only the differences from the default, and single changes of any schedule.
// RUN: mdh-opt %s --mdh-schedule=file=%S/Inputs/partial.json | FileCheck %s --check-prefix=FILE
// RUN: mdh-opt %s --mdh-schedule="system=openmp threads=2 set={parts[0][0]=16;parts[1][0]=?}" | FileCheck %s --check-prefix=FILE
// RUN: mdh-opt %s --lower-mdh="system=openmp threads=2 set={parts[0][0]=16; parts[1][0]=?} stop-after=schedule" | FileCheck %s --check-prefix=FILE
// RUN: mdh-opt %s --mdh-schedule="file=%S/Inputs/partial.json set={schedules.negate[0].parts[0][0]=128}" | FileCheck %s --check-prefix=BOTH
// RUN: not mdh-opt %s --mdh-schedule=file=%S/Inputs/partial-rows.json 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mdh-opt %s --mdh-schedule=file=%S/Inputs/partial-field.json 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not mdh-opt %s --mdh-schedule="system=openmp threads=2 set={parts[0][0]=3}" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not mdh-opt %s --mdh-schedule="system=openmp set={parts[7][0]=3}" 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not mdh-opt %s --mdh-schedule="set={schedules.other[0].parts[7][0]=3}" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not mdh-opt %s --mdh-schedule="set=parts" 2>&1 | FileCheck %s --check-prefix=FORM

// FILE: parts = [array<i64: 16>, ["?"], array<i64: 1>, array<i64: 1>], system = @openmp
// BOTH: parts = [array<i64: 128>, ["?"], array<i64: 1>, array<i64: 1>], system = @openmp
// ROWS: partial-rows.json: the schedule of computation 1 in @negate: parts: requires 4 entries, null for those of the default, but has 1
// FIELD: partial-field.json: the schedule of computation 1 in @negate: scalar.read: unknown field, the known ones are order, tags, reads, writes
// RULE: [[@LINE+7]]:8: error: 'mdh.hom.md_hom' op S2: level (1, 1) has 3 parts of 4096 points, but 1 cover the extent 4096 of dimension 1
// ENTRY: error: 'mdh.hom.md_hom' op the option set: 'parts[7][0]=3': parts has the entries 0 to 3, but no 7
// FUNCTION: error: the option set: 'schedules.other[0].parts[7][0]=3': no computation other[0], only negate[0]
// FORM: error: the option set: 'parts': requires a path and a value, such as parts[5][1]=12

func.func @negate(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4096xf32>) -> !mdh.mda<4096, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<4096, f32> -> !mdh.mda<4096, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4096, f32> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}
