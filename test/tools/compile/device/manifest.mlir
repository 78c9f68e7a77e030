// The manifest has the host's steps around kernels, or names the operation that cannot be a step.
// RUN: mdh compile %S/../Inputs/launches.mlir --function padded --target cuda --emit manifest | tr -d ' \n' | FileCheck %s --check-prefix=PADDED
// PADDED: "version":3,
// PADDED: "functions":[{"name":"padded","arguments":[{"name":"argument1","element":"f32","sizes":[16]},{"name":"argument2","element":"f32"}],"results":[{"buffer":"[[RESULT:buffer[0-9]+]]"}],
// PADDED-SAME: "steps":[{"allocate":{"buffer":"[[PADDED:buffer[0-9]+]]","memory":"host","element":"f32","sizes":[18]}},
// PADDED-SAME: {"fill":{"to":{"buffer":"[[PADDED]]","offset":0,"sizes":[18],"strides":[1]},"value":{"value":"argument2"}}},
// PADDED-SAME: {"copy":{"from":{"buffer":"argument1","offset":0,"sizes":[16],"strides":[1]},"to":{"buffer":"[[PADDED]]","offset":1,"sizes":[16],"strides":[1]}}},
// PADDED-SAME: {"launch":{"kernel":"padded_kernel_1",
// PADDED-SAME: "to":{"buffer":"[[RESULT]]"
//
// RUN: mdh compile %S/../Inputs/launches.mlir --function often --target opencl --emit manifest | tr -d ' \n' | FileCheck %s --check-prefix=OFTEN
// OFTEN: {"for":{"from":3,"to":17,"step":2,"carried":[{"buffer":"[[NOW:buffer[0-9]+]]","from":"{{buffer[0-9]+}}","next":"[[NEXT:buffer[0-9]+]]","result":"[[LAST:buffer[0-9]+]]"}],"steps":[
// OFTEN-SAME: {"copy":{"from":{"buffer":"[[NOW]]"
// OFTEN-SAME: {"launch":{"kernel":"often_kernel_1",
// OFTEN-SAME: "to":{"buffer":"[[NEXT]]"
//
// RUN: rm -f %t.ptx %t.json
// RUN: not mdh compile %s --function root --raise false --target cuda --emit ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not mdh compile %s --function root --raise false --target opencl --emit manifest 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: manifest.mlir:[[#@LINE+17]]:12: error: the manifest requires a step that launches a kernel, or allocates, copies or fills memory, but got 'linalg.map'
// RUN: not ls %t.ptx %t.json
// RUN: not mdh compile %s --function through --raise false --target cuda --emit manifest 2>&1 | FileCheck %s --check-prefix=THROUGH
// THROUGH: manifest.mlir:[[#@LINE+19]]:8: error: the manifest requires a step that launches a kernel, or allocates, copies or fills memory, but got 'func.call'
// The kernels themselves do not need steps.
// RUN: mdh compile %s --function root --raise false --target cuda --emit ptx | FileCheck %s
// CHECK: .visible .entry root_kernel_1

func.func @root(%x: tensor<16xf32>) -> tensor<16xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<16xf32>) -> !mdh.mda<16, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<16, f32> -> !mdh.mda<16, f32>
  %y = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<16, f32> -> tensor<16xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %roots = linalg.map { math.absf } ins(%y : tensor<16xf32>) outs(%empty : tensor<16xf32>)
  return %roots : tensor<16xf32>
}

func.func @through(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = func.call @root(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
