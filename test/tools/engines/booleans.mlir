// Booleans are bytes in the memory of kernels: SPIR-V gives them no size, and Intel's compiler miscompiles private arrays of them.
// RUN: mdh compile %s --target opencl --emit spirv-assembly | FileCheck %s --check-prefix=SPIRV
// SPIRV: %[[BOOLEAN:[0-9]+]] = OpTypeBool
// SPIRV-NOT: OpType{{(Pointer [A-Za-z]+|Array)}} %[[BOOLEAN]]{{( |$)}}
// SPIRV: OpFunctionEnd
// REQUIRES: opencl
// RUN: mdh run %s --input 0 --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @parity(%y: memref<16x9x4xi1>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<5x1>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] attributes {schedule = {system = @cuda_wrp,
      parts = [[5, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["WRP,x", "WRP,y"], ["SM,x", "SM,y"], ["CC,x", "CC,y"], ["SMX,x", "SMX,y"], ["RM,x", "RM,y"], ["DM,x", "DM,y"]]},
      scalar = {tags = [["WRP,x", "WRP,y"], ["SM,x", "SM,y"], ["CC,x", "CC,y"], ["SMX,x", "SMX,y"], ["RM,x", "RM,y"], ["DM,x", "DM,y"]], writes = ["RM[1, 2, 3]"]},
      recompose = {tags = [["WRP,y", "CC,y"], ["RM,y", "SM,y"], ["SM,x", "RM,x"], ["SMX,y", "SMX,x"], ["WRP,x", "DM,y"], ["DM,x", "CC,x"]]}}} {
    %true = arith.constant true
    mdh.hom.yield %true : i1
  } : !mdh.mda<5x1> -> !mdh.mda<1x1, i1>
  mdh.view.out_view %r[affine_map<(i, j) -> (0, 0, 0)>] into %y : !mdh.mda<1x1, i1>, memref<16x9x4xi1>
  return
}
