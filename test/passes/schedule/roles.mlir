// RUN: mdh-opt %s --mdh-schedule=file=%S/Inputs/version-1.json --verify-diagnostics | FileCheck %s
// RUN: mdh-opt %s --mdh-schedule=system=multi_gpu | FileCheck %s --check-prefix=DEFAULT
// RUN: not mdh-opt %s --lower-mdh="target=cuda system=multi_gpu" 2>&1 | FileCheck %s --check-prefix=CUDA

// A system of a file of version 1 gets the roles that its layers meant.
// CHECK: mdh.lowlevel.system @mine memory [HM: global, L1: shared, RM: registers] cores [A: blocks, B: threads] combine [HM, HM]
// The default has its parts on the layer that is the threads of a host.
// DEFAULT: mdh.lowlevel.system @multi_gpu memory [HM: node, DM: global, SM: shared, RM: registers] cores [GPU: devices, SMX: blocks, CC: threads]
// DEFAULT: decompose = {tags = {{\[\[}}"GPU,x"], ["HM,x"], ["DM,x"], ["SM,x"], ["RM,x"], ["SMX,x"], ["CC,x"]]}, parts = [array<i64: 64>, array<i64: 16384>,
// CUDA: roles.mlir:[[@LINE+4]]:8: error: {{.*}}a kernel requires core layers with the roles blocks, warps and threads, but GPU of @multi_gpu has the role devices, which only a host runs
func.func @map(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1048576xf32>) -> !mdh.mda<1048576, f32>
  // expected-warning @below {{version-1.json: the schedule of computation 1 in @map: the layers of @mine have no roles: they are memory [HM: global, L1: shared, RM: registers] cores [A: blocks, B: threads]}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1048576, f32> -> !mdh.mda<1048576, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<1048576, f32> -> tensor<1048576xf32>
  return %o : tensor<1048576xf32>
}
