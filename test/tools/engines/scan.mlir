// Threads scan in memory that all of them can access, even if the schedule names private memory.
// REQUIRES: opencl
// RUN: mdh-opt --lower-mdh="target=opencl stop-after=loops" %s | FileCheck %s --check-prefix=LOOPS
// RUN: mdh run %s --engine opencl --check 2>&1 | FileCheck %s
// LOOPS: gpu.launch
// LOOPS-SAME: workgroup(%{{.*}} : memref<10xi64, #gpu.address_space<workgroup>>
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @scan() -> tensor<10xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<10>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @cuda_wrp,
      parts = [[1], [1], [1], [2], [1], [5]],
      decompose = {tags = [["SM,x"], ["DM,x"], ["WRP,x"], ["CC,x"], ["SMX,x"], ["RM,x"]]},
      scalar = {writes = ["DM[1]"]},
      recompose = {writes = [[["DM[1]"], ["DM[1]"], ["DM[1]"], ["RM[1]"], ["DM[1]"], ["DM[1]"]]]}}} {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<10> -> !mdh.mda<10, i64>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<10, i64> -> tensor<10xi64>
  return %w : tensor<10xi64>
}
