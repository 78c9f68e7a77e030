// A scalar phase with separate kernels: its results stay in shared memory if the same blocks re-compose them, and are passed in global
// memory if the blocks combine them in another order. Results that host loops around kernels re-compose are in global memory, too.
// RUN: mdh-opt --lower-mdh="target=opencl stop-after=loops" %s | FileCheck %s --check-prefix=LOOPS
// LOOPS-LABEL: func.func @reduced(
// LOOPS: %[[RESULTS:.*]] = gpu.alloc () {mdh.buffer = "temporary"} : memref<128x8xi64>
// LOOPS: gpu.launch blocks
// LOOPS: memref.store %{{.*}}, %[[RESULTS]]
// LOOPS: scf.for
// LOOPS: gpu.launch blocks
// LOOPS: memref.load %[[RESULTS]]
// LOOPS: gpu.launch blocks
// LOOPS-LABEL: func.func @numbered(
// LOOPS-NOT: gpu.alloc {{.*}}temporary
// LOOPS: gpu.launch blocks({{.*}}) in ({{.*}} = %c2, {{.*}} = %c3, {{.*}}) {{.*}} workgroup(%{{.*}} : memref<12x4x2xi64, #gpu.address_space<workgroup>>
// LOOPS-LABEL: func.func @one_block(
// LOOPS: scf.for
// LOOPS: gpu.launch blocks({{.*}}) in ({{.*}} = %c1, {{.*}} = %c8,
// LOOPS: gpu.launch blocks({{.*}}) in ({{.*}} = %c1, {{.*}} = %c1, {{.*}} = %c1) {{.*}} workgroup(
// REQUIRES: opencl
// RUN: mdh run %s --function reduced --engine opencl --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function numbered --engine opencl --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function one_block --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

// Parts of k are mapped to blocks. In the scalar phase they are outside other parts, in the re-composition inside them.
func.func @reduced() -> tensor<8xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<8x128>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[1, 16], [1, 8], [8, 1], [1, 1], [1, 1]],
      decompose = {order = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]],
                   tags = [["DM,x", "DM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]], reads = []},
      scalar = {order = [[1, 4], [3, 2], [5, 6], [7, 8], [9, 10]], reads = [], writes = ["SM[1]"]},
      recompose = {writes = [[["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]}}} {
    %i = mdh.hom.index 0 : index
    %k = mdh.hom.index 1 : index
    %product = arith.muli %i, %k : index
    %number = arith.index_cast %product : index to i64
    mdh.hom.yield %number : i64
  } : !mdh.mda<8x128> -> !mdh.mda<8x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<8x1, i64> -> tensor<8xi64>
  return %w : tensor<8xi64>
}

// Both phases have the same blocks, linearized over different dimensions, and traverse the rest in another order.
func.func @numbered() -> tensor<8x6xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<8x6x12>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[2, 3, 1], [1, 1, 3], [4, 2, 4], [1, 1, 1], [1, 1, 1]],
      decompose = {order = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]],
                   tags = [["SMX,x", "SMX,y", "SMX,z"], ["CC,x", "CC,y", "CC,z"], ["DM,x", "DM,y", "DM,z"], ["SM,x", "SM,y", "SM,z"], ["RM,x", "RM,y", "RM,z"]], reads = []},
      scalar = {order = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]], reads = [], writes = ["SM[1, 2]"]},
      recompose = {order = [[1, 2, 3], [4, 5, 7], [6, 8, 9], [10, 11, 12], [13, 14, 15]],
                   tags = [["SMX,y", "SMX,x", "SMX,z"], ["CC,x", "CC,y", "CC,z"], ["DM,x", "DM,y", "DM,z"], ["SM,x", "SM,y", "SM,z"], ["RM,x", "RM,y", "RM,z"]],
                   writes = [[["DM[1, 2]", "DM[1, 2]", "DM[1, 2]"], ["SM[1, 2]", "SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]", "SM[1, 2]"], ["SM[1, 2]", "SM[1, 2]", "SM[1, 2]"]]]}}} {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %product = arith.muli %i, %k : index
    %sum = arith.addi %product, %j : index
    %number = arith.index_cast %sum : index to i64
    mdh.hom.yield %number : i64
  } : !mdh.mda<8x6x12> -> !mdh.mda<8x6x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<8x6x1, i64> -> tensor<8x6xi64>
  return %w : tensor<8x6xi64>
}

// Blocks compute, and one combines: around them, the host traverses the levels that the phases share.
func.func @one_block() -> tensor<4xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<4x40>
  %r = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[1, 5], [1, 8], [4, 1], [1, 1], [1, 1]],
      decompose = {tags = [["DM,x", "DM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]], reads = []},
      scalar = {reads = [], writes = ["DM[1]"]},
      recompose = {tags = [["DM,x", "DM,y"], ["SM,x", "SM,y"], ["CC,x", "CC,y"], ["SMX,x", "SMX,y"], ["RM,x", "RM,y"]],
                   writes = [[["DM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["DM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]}}} {
    %i = mdh.hom.index 0 : index
    %k = mdh.hom.index 1 : index
    %product = arith.muli %i, %k : index
    %number = arith.index_cast %product : index to i64
    mdh.hom.yield %number : i64
  } : !mdh.mda<4x40> -> !mdh.mda<4x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, i64> -> tensor<4xi64>
  return %w : tensor<4xi64>
}
