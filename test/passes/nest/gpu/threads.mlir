// Threads with fewer parts reach every barrier: loops around barriers have the trip count of the first thread's.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

// The second thread of dimension 2 has two parts of level (1, 2), the first has three. The bound of the inner loop is the same for all threads.
// CHECK:kernel blocks (1, 1, 1) threads (2, 2, 1):
// CHECK:    for p1_2 in 0..3:
// CHECK-NEXT:      for p4_2 in 0..min(2, 9 - 4 * p1_2):
// CHECK:        barrier
func.func @columns(%y: memref<9xi32>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<2x9>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.cc] attributes {schedule = {system = @opencl, parts = [[1, 3], [2, 2], [1, 1], [1, 2], [1, 1]],
      decompose = {tags = [["PM,x", "PM,y"], ["PE,x", "PE,y"], ["CU,x", "CU,y"], ["GM,x", "GM,y"], ["LM,x", "LM,y"]]},
      scalar = {writes = ["GM[1]"]}, recompose = {writes = [[["GM[1]", "GM[1]"], ["GM[1]", "GM[1]"], ["GM[1]", "GM[1]"], ["GM[1]", "GM[1]"], ["GM[1]", "GM[1]"]]]}}} {
    %0 = arith.constant 1 : i32
    mdh.hom.yield %0 : i32
  } : !mdh.mda<2x9> -> !mdh.mda<1x9, i32>
  mdh.view.out_view %r[affine_map<(i, j) -> (j)>] into %y : !mdh.mda<1x9, i32>, memref<9xi32>
  return
}
