// Producers with dynamic extents: their parts move with the loops of the consumer, and a whole dimension has the extent
// of the program.
// RUN: mdh-opt %s --mdh-schedule="machine=%S/../../../examples/machines/avx512.json threads=2" | FileCheck %s
// RUN: mdh explain %s --function rows --schedule %S/Inputs/producers-rows.json --threads 2 --nest | FileCheck %s --check-prefix=ROWS
// RUN: mdh explain %s --function lengths --schedule %S/Inputs/producers-lengths.json --threads 2 --nest | FileCheck %s --check-prefix=LENGTHS
// RUN: mdh explain %s --function stencils --threads 2 --nest | FileCheck %s --check-prefix=STENCILS
// RUN: mdh explain %s --function other --threads 2 --nest | FileCheck %s --check-prefix=OTHER
// RUN: %python %S/../../raise/Inputs/arrays.py %t 0x40 1x40 13x40 70x40 3x0 20x100 33x20@5 3x20@5 5x0@5 3x8@5 5x7@5 5x8@5
// RUN: mdh run %s --function rows --schedule %S/Inputs/producers-rows.json --input %t0.npy --threads 1 --check
// RUN: mdh run %s --function rows --schedule %S/Inputs/producers-rows.json --input %t1.npy --threads 2 --check
// RUN: mdh run %s --function rows --schedule %S/Inputs/producers-rows.json --input %t2.npy --threads 2 --check
// RUN: mdh run %s --function rows --schedule %S/Inputs/producers-rows.json --input %t3.npy --threads 1 --strict --check
// RUN: mdh run %s --function rows --machine %S/Inputs/small-caches.json --input %t0.npy --threads 2 --check
// RUN: mdh run %s --function rows --machine %S/Inputs/small-caches.json --input %t3.npy --threads 2 --check
// RUN: mdh run %s --function rows --machine %S/Inputs/small-caches.json --input %t3.npy --threads 1 --check
// RUN: mdh run %s --function lengths --schedule %S/Inputs/producers-lengths.json --input %t0.npy --threads 1 --check
// RUN: mdh run %s --function lengths --schedule %S/Inputs/producers-lengths.json --input %t4.npy --threads 2 --check
// RUN: mdh run %s --function lengths --schedule %S/Inputs/producers-lengths.json --input %t1.npy --threads 2 --check
// RUN: mdh run %s --function lengths --schedule %S/Inputs/producers-lengths.json --input %t5.npy --threads 2 --check
// RUN: mdh run %s --function lengths --machine %S/Inputs/small-caches.json --input %t5.npy --threads 1 --check
// RUN: mdh run %s --function lengths --machine %S/Inputs/small-caches.json --input %t5.npy --threads 2 --strict --check
// RUN: mdh run %s --function stencils --input %t6.npy --input 29 --input 31 --threads 2 --check
// RUN: mdh run %s --function stencils --input %t7.npy --input 0 --input 1 --threads 1 --check
// RUN: mdh run %s --function other --input %t8.npy --input %t9.npy --threads 1 --check
// RUN: mdh run %s --function other --input %t10.npy --input %t11.npy --threads 1 --check
// RUN: not mdh run %s --function other --input %t10.npy --input %t9.npy 2>&1 | FileCheck %s --check-prefix=SIZES

// One pass over a matrix of any number of rows, which may be large.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-3: at = {consumer = 4 : i64, level = array<i64: 2, 1>}
// ROWS: parallel for p1_1 in 0..size(input 1 of computation 2, 0):
// ROWS-NEXT: allocate part1: 1 x f32 on the heap
// ROWS-NEXT: allocate part2: 1 x 40 x f32 on the heap
// ROWS-NEXT: allocate part3: 1 x f32 on the heap
// ROWS: compute a part of computation 3:
func.func @rows(%x: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<?x40xf32>) -> !mdh.mda<?x40, f32>
  %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x40, f32> -> !mdh.mda<?x1, f32>
  %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %in2 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>] : (tensor<?x40xf32>, tensor<?xf32>) -> !mdh.mda<?x40, f32, f32>
  %p = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<?x40, f32, f32> -> !mdh.mda<?x40, f32>
  %powers = mdh.view.out_view %p[affine_map<(i, k) -> (i, k)>] : !mdh.mda<?x40, f32> -> tensor<?x40xf32>
  %in3 = mdh.view.inp_view %powers[affine_map<(i, k) -> (i, k)>] : (tensor<?x40xf32>) -> !mdh.mda<?x40, f32>
  %s = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x40, f32> -> !mdh.mda<?x1, f32>
  %sum = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %in4 = mdh.view.inp_view %powers[affine_map<(i, k) -> (i, k)>], %sum[affine_map<(i, k) -> (i)>] : (tensor<?x40xf32>, tensor<?xf32>) -> !mdh.mda<?x40, f32, f32>
  %q = mdh.hom.md_hom %in4 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<?x40, f32, f32> -> !mdh.mda<?x40, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i, k)>] : !mdh.mda<?x40, f32> -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

// All indices of a reduction, which later producers and the consumer read, are those of a dimension of dynamic extent.
// LENGTHS: parallel for p1_1 in 0..size(input 1 of computation 2, 0):
// LENGTHS-NEXT: allocate part1: 1 x f32 on the heap
// LENGTHS-NEXT: allocate part2: 1 x max(size(input 1 of computation 2, 1), 0) x f32 on the heap
// CHECK-LABEL: func.func @lengths
// CHECK-COUNT-3: at = {consumer = 4 : i64
func.func @lengths(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %in2 = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>] : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %p = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x?, f32>
  %powers = mdh.view.out_view %p[affine_map<(i, k) -> (i, k)>] : !mdh.mda<?x?, f32> -> tensor<?x?xf32>
  %in3 = mdh.view.inp_view %powers[affine_map<(i, k) -> (i, k)>] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %s = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %sum = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %in4 = mdh.view.inp_view %powers[affine_map<(i, k) -> (i, k)>], %sum[affine_map<(i, k) -> (i)>] : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %q = mdh.hom.md_hom %in4 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x?, f32>
  %y = mdh.view.out_view %q[affine_map<(i, k) -> (i, k)>] : !mdh.mda<?x?, f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The extents are values of the program: nothing says that the rows of a part exist.
// STENCILS: min({{.*}}s1)
func.func @stencils(%x: tensor<?x20xi32>, %n: index, %m: index) -> tensor<?x20xi32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, j)>]
      extents(%m) : (tensor<?x20xi32>) -> !mdh.mda<?x20, i32, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [["?", 1], [1, 1], [1, "?"], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<?x20, i32, i32> -> !mdh.mda<?x20, i32>
  %y = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x20, i32> -> tensor<?x20xi32>
  %next = mdh.view.inp_view %y[affine_map<(i, j) -> (i + 1, j)>, affine_map<(i, j) -> (i + 2, 19 - j)>]
      extents(%n) : (tensor<?x20xi32>) -> !mdh.mda<?x20, i32, i32>
  %q = mdh.hom.md_hom %next combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [["?", 1], [1, 1], [4, 20], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<?x20, i32, i32> -> !mdh.mda<?x20, i32>
  %z = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x20, i32> -> tensor<?x20xi32>
  return %z : tensor<?x20xi32>
}

// A consumer without points reads no sums, of which there may be fewer than it has rows. Parts end with them.
// OTHER: compute a part of computation 1:
// OTHER-NEXT: for {{.*}} in 0..max(min(p1_1 + 1, size(input 1 of computation 1, 0)) - {{.*}}
// SIZES: error:
func.func @other(%x: tensor<?x?xi32>, %z: tensor<?x8xi32>) -> tensor<?x?xi32> {
  %in = mdh.view.inp_view %z[affine_map<(i, k) -> (i, k)>] : (tensor<?x8xi32>) -> !mdh.mda<?x8, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @openmp, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<?x8, i32> -> !mdh.mda<?x1, i32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, i32> -> tensor<?xi32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<?x?xi32>, tensor<?xi32>) -> !mdh.mda<?x?, i32, i32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @openmp, parts = [["?", "?"], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["COR,x", "COR,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"]]}}} {
  ^bb0(%a: i32, %s: i32):
    %d = arith.subi %a, %s : i32
    mdh.hom.yield %d : i32
  } : !mdh.mda<?x?, i32, i32> -> !mdh.mda<?x?, i32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x?, i32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
