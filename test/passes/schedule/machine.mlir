// RUN: mdh-opt %s --mdh-schedule=machine=%S/Inputs/machine.json | FileCheck %s
// RUN: mdh-opt %s --lower-mdh="machine=%S/Inputs/machine.json stop-after=schedule" | FileCheck %s
// RUN: mdh-opt %s --lower-mdh=machine=%S/Inputs/machine.json | FileCheck %s --check-prefix=LLVM
// RUN: not mdh-opt %s --mdh-schedule=machine=%S/Inputs/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mdh-opt %s --mdh-schedule=machine=%S/Inputs/one.json 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mdh-opt %s --lower-mdh="machine=a machine.json" 2>&1 | FileCheck %s --check-prefix=OPTION

// NONE: error: cannot read the machine file {{.*}}none.json: no such file or directory
// OTHER: one.json: the machine: unknown field version, the known ones are cores
// OPTION: expects name=value, got 'machine.json'

// The target of the module is kept, and the pass uses it for values that the file lacks: L2 is larger than L1.
// CHECK: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 16384 : ui32, "other" = 1 : i64>>}
// CHECK: schedule = {{.*}}system = @cpu
// LLVM: dlti.target_system_spec
// LLVM: llvm.func
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 16384 : ui32, "other" = 1>>} {
  func.func @negate(%x: tensor<8xf32>) -> tensor<8xf32> {
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
    %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: f32):
      %n = arith.negf %a : f32
      mdh.hom.yield %n : f32
    } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
    %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
