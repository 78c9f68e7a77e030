// Producers in kernels: each thread computes its own parts, or the threads of a block compute parts together.
// RUN: mdh-opt %s --mlir-disable-threading --lower-mdh="target=cuda stop-after=loops print-nest=true" -o %t 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: mdh explain %s --function rows_of_blocks | FileCheck %s --check-prefix=EXPLAIN
// RUN: %python %S/../../raise/Inputs/arrays.py %t 10x7 30x20 9x50 50
// RUN: %on-ptx-driver mdh run %s --engine cuda --function rows_of_threads --input %t0.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function rows_of_blocks --input %t0.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function rows_in_loop --input %t0.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function register_tiles --input %t0.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function windows_of_threads --input %t1.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function windows_of_blocks --input %t1.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function own_inputs --input %t2.npy --input %t3.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function common_inputs --input %t2.npy --input %t3.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function parts_of_inputs --input %t2.npy --input %t3.npy --check
// RUN: mdh run %s --function rows_of_threads --input %t0.npy --check
// RUN: mdh run %s --function rows_of_blocks --input %t0.npy --check
// RUN: mdh run %s --function rows_in_loop --input %t0.npy --check
// RUN: mdh run %s --function register_tiles --input %t0.npy --check
// RUN: mdh run %s --function windows_of_threads --input %t1.npy --check
// RUN: mdh run %s --function windows_of_blocks --input %t1.npy --check
// RUN: mdh run %s --function own_inputs --input %t2.npy --input %t3.npy --check
// RUN: mdh run %s --function common_inputs --input %t2.npy --input %t3.npy --check
// RUN: mdh run %s --function parts_of_inputs --input %t2.npy --input %t3.npy --check
// RUN: %on-ptx-driver mdh run %s --engine cuda --function plain --schedule %S/Inputs/producers-kernels.json --input %t0.npy --check

// Each thread computes the maximum and the sum of its row. The last thread repeats those of the row before it.
// NEST-LABEL: @rows_of_threads, computation 3:
// NEST:       kernel blocks (3, 1, 1) threads (4, 1, 1):
// NEST:         allocate part1: 1 x f32, private on the stack
// NEST-NEXT:    allocate part2: 1 x f32, private on the stack
// NEST-NEXT:    compute a part of computation 1:
// NEST:           %1 = for p3_2 in 0..7 carrying
// NEST:           store %1 to part1[0]
// NEST-NEXT:    compute a part of computation 2:
// NEST:             load part1
// NEST:           store %7 to part2[0]
// NEST-NEXT:    for p3_2 in 0..7:
// NEST-NOT:     barrier
// NEST:       transfer device output 1 to output 1
func.func @rows_of_threads(%x: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %in0 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<10x7xf32>) -> !mdh.mda<10x7, f32>
  %r0 = mdh.hom.md_hom %in0 combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [2, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x7, f32> -> !mdh.mda<10x1, f32>
  %maxima = mdh.view.out_view %r0[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %in1 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %maxima[affine_map<(i, k) -> (i)>] : (tensor<10x7xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [2, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<10x7, f32, f32> -> !mdh.mda<10x1, f32>
  %sums = mdh.view.out_view %r1[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %all = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32, f32>
  %r2 = mdh.hom.md_hom %all combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 1], [4, 1], [1, 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %s : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<10x7, f32, f32, f32> -> !mdh.mda<10x7, f32>
  %y = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x7, f32> -> tensor<10x7xf32>
  return %y : tensor<10x7xf32>
}

// The threads of a block compute the maxima and sums of its four rows, in the last block two rows.
// NEST-LABEL: @rows_of_blocks, computation 3:
// NEST:       kernel blocks (3, 1, 1) threads (4, 1, 1):
// NEST:         allocate part1: 4 x f32, shared
// NEST-NEXT:    allocate part2: 4 x f32, shared
// NEST-NEXT:    barrier
// NEST-NEXT:    compute a part of computation 1:
// NEST:             store %1 to part1[4 * i0 + thread.x]
// NEST-NEXT:    barrier
// NEST-NEXT:    compute a part of computation 2:
// NEST:             store %7 to part2[4 * i0 + thread.x]
// NEST-NEXT:    barrier
// NEST-NEXT:    for p3_2 in 0..7:
// EXPLAIN:      computed in parts, at level (1, 1) of computation 3
// EXPLAIN:      part of the results of computation 1   at (1, 1)   SM[1]       16      block
// EXPLAIN-NEXT: part of the results of computation 2   at (1, 1)   SM[1]       16      block
func.func @rows_of_blocks(%x: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %in0 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<10x7xf32>) -> !mdh.mda<10x7, f32>
  %r0 = mdh.hom.md_hom %in0 combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x7, f32> -> !mdh.mda<10x1, f32>
  %maxima = mdh.view.out_view %r0[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %in1 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %maxima[affine_map<(i, k) -> (i)>] : (tensor<10x7xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [1, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<10x7, f32, f32> -> !mdh.mda<10x1, f32>
  %sums = mdh.view.out_view %r1[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %all = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32, f32>
  %r2 = mdh.hom.md_hom %all combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 1], [4, 1], [1, 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %s : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<10x7, f32, f32, f32> -> !mdh.mda<10x7, f32>
  %y = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x7, f32> -> tensor<10x7xf32>
  return %y : tensor<10x7xf32>
}

// A block has one row at a time: its threads have read one before they compute the next one.
// NEST-LABEL: @rows_in_loop, computation 3:
// NEST:       kernel blocks (2, 1, 1) threads (1, 4, 1):
// NEST:         for p2_1 in 0..5:
// NEST-NEXT:      barrier
// NEST-NEXT:      compute a part of computation 1:
// NEST:           barrier
// NEST-NEXT:      compute a part of computation 2:
// NEST:           barrier
// NEST-NEXT:      for p4_2 in
func.func @rows_in_loop(%x: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %in0 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<10x7xf32>) -> !mdh.mda<10x7, f32>
  %r0 = mdh.hom.md_hom %in0 combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [2, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x7, f32> -> !mdh.mda<10x1, f32>
  %maxima = mdh.view.out_view %r0[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %in1 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %maxima[affine_map<(i, k) -> (i)>] : (tensor<10x7xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [2, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<10x7, f32, f32> -> !mdh.mda<10x1, f32>
  %sums = mdh.view.out_view %r1[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %all = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32, f32>
  %r2 = mdh.hom.md_hom %all combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[2, 1], [5, 1], [1, 4], [1, 2], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["CC,x", "CC,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %s : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<10x7, f32, f32, f32> -> !mdh.mda<10x7, f32>
  %y = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x7, f32> -> tensor<10x7xf32>
  return %y : tensor<10x7xf32>
}

// A part is computed for all points of a register tile together.
// NEST-LABEL: @register_tiles, computation 3:
// NEST:         unroll level (5, 1) by 2, unroll level (5, 2) by 2:
// NEST:           compute a part of computation 1:
// NEST-NEXT:        %1 = min(
// NEST-NEXT:        for p3_1' in 0..(%1 + 1):
func.func @register_tiles(%x: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %in0 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<10x7xf32>) -> !mdh.mda<10x7, f32>
  %r0 = mdh.hom.md_hom %in0 combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [3, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x7, f32> -> !mdh.mda<10x1, f32>
  %maxima = mdh.view.out_view %r0[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %in1 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %maxima[affine_map<(i, k) -> (i)>] : (tensor<10x7xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 7], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 3, level = [3, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<10x7, f32, f32> -> !mdh.mda<10x1, f32>
  %sums = mdh.view.out_view %r1[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %all = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32, f32>
  %r2 = mdh.hom.md_hom %all combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[2, 1], [2, 4], [2, 1], [1, 1], [2, 2]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %s : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<10x7, f32, f32, f32> -> !mdh.mda<10x7, f32>
  %y = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x7, f32> -> tensor<10x7xf32>
  return %y : tensor<10x7xf32>
}

// Parts of threads overlap, and the last threads have no points.
// NEST-LABEL: @windows_of_threads, computation 2:
// NEST:         allocate part1: 3 x 2 x f32, private on the stack
func.func @windows_of_threads(%x: tensor<30x20xf32>) -> tensor<26x20xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<30x20xf32>) -> !mdh.mda<28x20, f32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", "?"], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [3, 1]}}} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<28x20, f32, f32, f32> -> !mdh.mda<28x20, f32>
  %y = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<28x20, f32> -> tensor<28x20xf32>
  %next = mdh.view.inp_view %y[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<28x20xf32>) -> !mdh.mda<26x20, f32, f32, f32>
  %q = mdh.hom.md_hom %next combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 2], [3, 5], [3, 1], [1, 2], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.subf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<26x20, f32, f32, f32> -> !mdh.mda<26x20, f32>
  %z = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<26x20, f32> -> tensor<26x20xf32>
  return %z : tensor<26x20xf32>
}

// Parts of blocks overlap, in a loop: five rows for three of the results.
// NEST-LABEL: @windows_of_blocks, computation 2:
// NEST:         allocate part1: 5 x 10 x f32, shared
func.func @windows_of_blocks(%x: tensor<30x20xf32>) -> tensor<26x20xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<30x20xf32>) -> !mdh.mda<28x20, f32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", "?"], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [2, 1]}}} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<28x20, f32, f32, f32> -> !mdh.mda<28x20, f32>
  %y = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<28x20, f32> -> tensor<28x20xf32>
  %next = mdh.view.inp_view %y[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<28x20xf32>) -> !mdh.mda<26x20, f32, f32, f32>
  %q = mdh.hom.md_hom %next combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 2], [3, 1], [1, 5], [3, 2], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["CC,x", "CC,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.subf %s, %c : f32
    mdh.hom.yield %t : f32
  } : !mdh.mda<26x20, f32, f32, f32> -> !mdh.mda<26x20, f32>
  %z = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<26x20, f32> -> tensor<26x20xf32>
  return %z : tensor<26x20xf32>
}

// The threads of a block share a reduction, and each of them computes what it reads for its part.
// NEST-LABEL: @own_inputs, computation 2:
// NEST:         level (2, 2) in a tree across threads:
// NEST-NEXT:      compute a part of computation 1:
func.func @own_inputs(%w: tensor<9x50xf32>, %x: tensor<50xf32>) -> tensor<9xf32> {
  %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (tensor<50xf32>) -> !mdh.mda<50, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[1], [1], ["?"], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}, at = {consumer = 2, level = [2, 2]}}} {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<50, f32> -> !mdh.mda<50, f32>
  %h = mdh.view.out_view %r[affine_map<(k) -> (k)>] : !mdh.mda<50, f32> -> tensor<50xf32>
  %both = mdh.view.inp_view %w[affine_map<(i, k) -> (i, k)>], %h[affine_map<(i, k) -> (k)>]
      : (tensor<9x50xf32>, tensor<50xf32>) -> !mdh.mda<9x50, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[3, 1], [1, 8], [1, 7], [3, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<9x50, f32, f32> -> !mdh.mda<9x1, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i)>] : !mdh.mda<9x1, f32> -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// They compute the inputs of the reduction together.
// NEST-LABEL: @common_inputs, computation 2:
// NEST:         allocate part2: 50 x f32, shared
// NEST:         barrier
// NEST-NEXT:    compute a part of computation 1:
// NEST-NEXT:      for i0 in 0..7:
// NEST-NEXT:        if 8 * i0 + thread.y < 50:
// NEST:         barrier
// NEST-NEXT:    level (2, 2) in a tree across threads:
func.func @common_inputs(%w: tensor<9x50xf32>, %x: tensor<50xf32>) -> tensor<9xf32> {
  %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (tensor<50xf32>) -> !mdh.mda<50, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[1], [1], ["?"], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<50, f32> -> !mdh.mda<50, f32>
  %h = mdh.view.out_view %r[affine_map<(k) -> (k)>] : !mdh.mda<50, f32> -> tensor<50xf32>
  %both = mdh.view.inp_view %w[affine_map<(i, k) -> (i, k)>], %h[affine_map<(i, k) -> (k)>]
      : (tensor<9x50xf32>, tensor<50xf32>) -> !mdh.mda<9x50, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[3, 1], [1, 8], [1, 7], [3, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<9x50, f32, f32> -> !mdh.mda<9x1, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i)>] : !mdh.mda<9x1, f32> -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// The inputs are computed in parts inside of a reduction.
// NEST-LABEL: @parts_of_inputs, computation 2:
// NEST:         level (3, 2) carried:
// NEST:           for p3_2 in 0..8 carrying
// NEST-NEXT:        compute a part of computation 1:
func.func @parts_of_inputs(%w: tensor<9x50xf32>, %x: tensor<50xf32>) -> tensor<9xf32> {
  %in = mdh.view.inp_view %x[affine_map<(k) -> (k)>] : (tensor<50xf32>) -> !mdh.mda<50, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[1], [1], ["?"], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}, at = {consumer = 2, level = [3, 2]}}} {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<50, f32> -> !mdh.mda<50, f32>
  %h = mdh.view.out_view %r[affine_map<(k) -> (k)>] : !mdh.mda<50, f32> -> tensor<50xf32>
  %both = mdh.view.inp_view %w[affine_map<(i, k) -> (i, k)>], %h[affine_map<(i, k) -> (k)>]
      : (tensor<9x50xf32>, tensor<50xf32>) -> !mdh.mda<9x50, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[3, 1], [3, 1], [1, 8], [1, 7], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<9x50, f32, f32> -> !mdh.mda<9x1, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i)>] : !mdh.mda<9x1, f32> -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// The default schedule of a producer in a kernel has no levels of threads.
func.func @plain(%x: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %in0 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<10x7xf32>) -> !mdh.mda<10x7, f32>
  %r0 = mdh.hom.md_hom %in0 combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<10x7, f32> -> !mdh.mda<10x1, f32>
  %maxima = mdh.view.out_view %r0[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %in1 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %maxima[affine_map<(i, k) -> (i)>] : (tensor<10x7xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<10x7, f32, f32> -> !mdh.mda<10x1, f32>
  %sums = mdh.view.out_view %r1[affine_map<(i, k) -> (i)>] : !mdh.mda<10x1, f32> -> tensor<10xf32>
  %all = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<10x7xf32>, tensor<10xf32>, tensor<10xf32>) -> !mdh.mda<10x7, f32, f32, f32>
  %r2 = mdh.hom.md_hom %all combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %f = arith.divf %e, %s : f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<10x7, f32, f32, f32> -> !mdh.mda<10x7, f32>
  %y = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x7, f32> -> tensor<10x7xf32>
  return %y : tensor<10x7xf32>
}
