// The picture of nests: boxes for loops, kernels, copies and combinations, statements between them by kind. It is XML,
// without scripts, and each time the same.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh explain %s --function matvec --system openmp --svg %t/matvec.svg | count 0
// RUN: FileCheck %s --check-prefix=HOST --input-file %t/matvec.svg
// RUN: mdh explain %s --function matvec --system openmp --svg - | cmp - %t/matvec.svg
// RUN: mdh explain %s --function matvec --schedule %examples/schedules/matvec_warps.json --svg %t/warps.svg
// RUN: FileCheck %s --check-prefix=WARPS --input-file %t/warps.svg
// RUN: mdh explain %s --function matvec --schedule %examples/schedules/matvec_warps.json --target cpu --svg - | FileCheck %s --check-prefix=OF-HOST
// RUN: mdh explain %s --system openmp --svg %t/all.svg
// RUN: FileCheck %s --check-prefix=ALL --input-file %t/all.svg
// RUN: %python %S/Inputs/picture.py %t/matvec.svg %t/warps.svg %t/all.svg

// As JSON, with the tables and estimates: what they are without it.
// RUN: mdh explain %s --system openmp --json > %t/all.json
// RUN: mdh explain %s --system openmp > %t/text
// RUN: mdh explain %s --system openmp --nest > %t/nest
// RUN: %python %S/Inputs/report.py %t/all.json %t/text %t/nest %t/all.svg

// RUN: not mdh explain %s --svg %t/none/picture.svg 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write '{{.*}}/none/picture.svg': there is no folder
// RUN: not mdh explain %s --svg - --nest 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: the argument '--svg <FILE>' cannot be used with '--nest[=<FORM>]'
// RUN: not mdh explain %s --target cuda 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: the following required arguments were not provided:
// RUN: not mdh explain %s --function nothing --json 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: '{{.*}}picture.mlir' has no function @nothing with a computation

// HOST: <svg xmlns="http://www.w3.org/2000/svg"
// HOST: >@matvec, computation 1</text>
// HOST: >on @openmp</text>
// HOST: >input 1: 512 × 4096 × f32</text>
// HOST: >threads</text>
// HOST-NEXT: >level (1, 1)   COR,x</text>
// HOST-NEXT: >× 64</text>
// HOST: >loop</text>
// HOST-NEXT: >level (2, 1)   MM,x</text>
// HOST-NEXT: >× 8</text>
// HOST: >combine</text>
// HOST-NEXT: >level (2, 2), carried</text>
// HOST: >identity</text>
// HOST: <title>%1 = for p2_2 in 0..4096 carrying (%2 = %0):</title>
// HOST: >loop</text>
// HOST-NEXT: >level (2, 2)   MM,y</text>
// HOST-NEXT: >× 4096</text>
// HOST: >load input 1</text>
// HOST: >load input 2</text>
// HOST: >scalar function</text>
// HOST: >accumulate</text>
// HOST: >store output 1</text>
// HOST: >legend</text>
// HOST-NEXT: >what it is   level (layer, dimension)   what executes it   × number of parts</text>
// HOST: class="mdh-memory"
// HOST: >buffer</text>
// HOST-NEXT: >memory with its sizes, and what is written to it</text>
// HOST: class="mdh-threads"
// HOST: >threads</text>
// HOST-NEXT: >parts that threads compute at the same time</text>
// HOST-NOT: class="mdh-{{kernel|lanes|branch}}"
// HOST: </svg>

// WARPS: >transfer input 2 to device input 2</text>
// WARPS: >kernel</text>
// WARPS-NEXT: >64 blocks of 256 threads</text>
// WARPS: >blocks</text>
// WARPS-NEXT: >level (1, 1)   SMX,x</text>
// WARPS-NEXT: >× 64</text>
// WARPS: >warps</text>
// WARPS-NEXT: >level (2, 1)   WRP,x</text>
// WARPS-NEXT: >× 8</text>
// WARPS: >threads</text>
// WARPS-NEXT: >level (6, 2)   CC,x</text>
// WARPS-NEXT: >× 32</text>
// WARPS: >level (6, 2), in a tree across threads</text>
// WARPS: >shuffle between threads ×5</text>
// WARPS: >combine ×5</text>
// WARPS: >free device output 1</text>

// OF-HOST-NOT: >kernel</text>

// A producer in parts, copies, versions of a register tile, dynamic sizes, and names that XML cannot contain as they are.
// ALL: <title>@matvec, computation 1, @a&lt;b&gt;&amp;c, computation 1, @tile, computation 1, @parts, computation 2</title>
// ALL: >@a&lt;b&gt;&amp;c, computation 1</text>
// ALL: >× up to 16</text>
// ALL: >× min(size(input 1, 0) - p1_1 *…</text>
// ALL: >@tile, computation 1</text>
// ALL: >copy</text>
// ALL-NEXT: >input 2 to L1[1, 2]</text>
// ALL-NEXT: >part1: 32 × 16 × f32</text>
// ALL: >unrolled</text>
// ALL: >vector</text>
// ALL: >if</text>
// ALL: >scalar function ×2, 16 lanes</text>
// ALL: >else</text>
// ALL: >@parts, computation 2</text>
// ALL: >compute</text>
// ALL-NEXT: >a part of computation 1</text>

#ik = affine_map<(i, k) -> (i, k)>
#k = affine_map<(i, k) -> (k)>
#i = affine_map<(i, k) -> (i)>
#x = affine_map<(i) -> (i)>

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
  %in = mdh.view.inp_view %M[#ik], %v[#k] : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %w = mdh.view.out_view %r[#i] : !mdh.mda<512x1, f32> -> tensor<512xf32>
  return %w : tensor<512xf32>
}

func.func @"a<b>&c"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[#x] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %r[#x] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// A register tile of 2 x 16 sums, of which the last ones are partial, and a packed input.
func.func @tile(%A: tensor<7x32xf32>, %B: tensor<32x16xf32>) -> tensor<7x16xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<7x32xf32>, tensor<32x16xf32>) -> !mdh.mda<7x16x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1, 1], [4, 1, 32], [1, 1, 1], [2, 1, 1], [1, 16, 1]],
      decompose = {order = [[1, 2, 3], [4, 5, 15], [6, 7, 8], [9, 10, 11], [12, 13, 14]],
                   tags = [["COR,x", "COR,y", "COR,z"], ["MM,x", "MM,y", "MM,z"], ["L1,x", "L1,y", "L1,z"],
                           ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"]],
                            [["MM[1, 2]", "MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]", "L1[1, 2]"], ["L1[1, 2]", "L1[1, 2]", "L1[1, 2]"]]]},
      scalar = {reads = ["MM[1, 2]", "L1[1, 2]"]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<7x16x32, f32, f32> -> !mdh.mda<7x16x1, f32>
  %C = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<7x16x1, f32> -> tensor<7x16xf32>
  return %C : tensor<7x16xf32>
}

// Each part has three rows of the first stencil.
func.func @parts(%x: tensor<30x20xi32>) -> tensor<26x20xi32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<30x20xi32>) -> !mdh.mda<28x20, i32, i32, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [["?", 1], [1, 1], [1, "?"], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %s = arith.addi %a, %b : i32
    %t = arith.muli %s, %c : i32
    mdh.hom.yield %t : i32
  } : !mdh.mda<28x20, i32, i32, i32> -> !mdh.mda<28x20, i32>
  %y = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<28x20, i32> -> tensor<28x20xi32>
  %next = mdh.view.inp_view %y[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 1, 19 - j)>, affine_map<(i, j) -> (i + 2, j)>]
      : (tensor<28x20xi32>) -> !mdh.mda<26x20, i32, i32, i32>
  %q = mdh.hom.md_hom %next combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [[26, 1], [1, 1], [1, 20], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %s = arith.addi %a, %b : i32
    %t = arith.subi %s, %c : i32
    mdh.hom.yield %t : i32
  } : !mdh.mda<26x20, i32, i32, i32> -> !mdh.mda<26x20, i32>
  %z = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<26x20, i32> -> tensor<26x20xi32>
  return %z : tensor<26x20xi32>
}
