// Threads over a scanned dimension execute as many barriers as the longest of their parts needs.
// RUN: mdh-opt --lower-mdh="target=opencl stop-after=loops" %s | FileCheck %s --check-prefix=LOOPS
// REQUIRES: opencl
// RUN: mdh run %s --engine opencl --check 2>&1 | FileCheck %s
// LOOPS: threads({{.*}}) in ({{.*}} = %c2, {{.*}}) workgroup(
// LOOPS: scf.for %{{.*}} = %c1 to %c3 step %c1 iter_args(
// LOOPS-NOT: scf.yield
// LOOPS: gpu.barrier
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @scan() -> tensor<5xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<5>
  %numbers = mdh.hom.md_hom %none combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %number = arith.index_cast %i : index to i64
    mdh.hom.yield %number : i64
  } : !mdh.mda<5> -> !mdh.mda<5, i64>
  %x = mdh.view.out_view %numbers[affine_map<(i) -> (i)>] : !mdh.mda<5, i64> -> tensor<5xi64>
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<5xi64>) -> !mdh.mda<5, i64>
  %sums = mdh.hom.md_hom %in combine [#mdh.ps<add>] attributes {schedule = {system = @cuda,
      parts = [[1], [1], [1], [2], [3]],
      decompose = {tags = [["SM,x"], ["DM,x"], ["SMX,x"], ["CC,x"], ["RM,x"]],
                   reads = [[["DM[1]"], ["DM[1]"], ["DM[1]"], ["DM[1]"], ["DM[1]"]]]},
      scalar = {reads = ["SM[1]"], writes = ["DM[1]"]},
      recompose = {writes = [[["DM[1]"], ["DM[1]"], ["DM[1]"], ["DM[1]"], ["DM[1]"]]]}}} {
  ^bb0(%a: i64):
    mdh.hom.yield %a : i64
  } : !mdh.mda<5, i64> -> !mdh.mda<5, i64>
  %y = mdh.view.out_view %sums[affine_map<(i) -> (i)>] : !mdh.mda<5, i64> -> tensor<5xi64>
  return %y : tensor<5xi64>
}
