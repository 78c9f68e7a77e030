// Initial values: buffers, scalars and constants; in reductions, scans and empty dimensions; updates in place.
// RUN: mdh run %s --function all --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function all --threads 2 --strict --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function scalars --input 2.5 --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function update --input 3 --input 4 --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function reversed --input 3 --input 4 --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function lexicographic --input 0.1 --input 0.7 --strict --check 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: %if opencl %{ mdh run %s --function all --engine opencl --check 2>&1 | FileCheck %s %}
// RUN: %if opencl %{ mdh run %s --function scalars --input 2.5 --engine opencl --check 2>&1 | FileCheck %s %}
// RUN: %if opencl %{ mdh run %s --function reversed --input 3 --input 4 --engine opencl --check 2>&1 | FileCheck %s %}
// RUN: mdh-opt %s --lower-mdh="stop-after=loops" | FileCheck %s --check-prefix=IR
// RUN: mdh compile %s --function scalars --target cuda --emit manifest | FileCheck %s --check-prefix=MANIFEST
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator
// EXACT: agrees with the reference evaluator: maximum absolute error 0e0
// MANIFEST: "value": "argument 1"

// Different values of each element come from a computation.
func.func @all() -> (tensor<13x29xf32>, tensor<50x20xi32>, tensor<1000xi32>, tensor<13xf32>) {
  %none = mdh.view.inp_view : () -> !mdh.mda<13x29>
  %numbers = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %n = arith.muli %i, %j : index
    %k = arith.index_cast %n : index to i32
    %f = arith.sitofp %k : i32 to f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<13x29> -> !mdh.mda<13x29, f32>
  %C = mdh.view.out_view %numbers[affine_map<(i, j) -> (i, j)>] : !mdh.mda<13x29, f32> -> tensor<13x29xf32>

  // A reduction, with the initial values of another order than its results.
  %points = mdh.view.inp_view : () -> !mdh.mda<13x29x37>
  %c = mdh.view.inp_view %C[affine_map<(i, j, k) -> (12 - i, j)>] : (tensor<13x29xf32>) -> !mdh.mda<13x29x1, f32>
  %sums = mdh.hom.md_hom %points init(%c : !mdh.mda<13x29x1, f32>) combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %n = arith.addi %j, %k : index
    %l = arith.index_cast %n : index to i32
    %f = arith.sitofp %l : i32 to f32
    mdh.hom.yield %f : f32
  } : !mdh.mda<13x29x37> -> !mdh.mda<13x29x1, f32>
  %w = mdh.view.out_view %sums[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<13x29x1, f32> -> tensor<13x29xf32>

  // A scan of sums, with a carry for each row.
  %carries = arith.constant dense<5> : tensor<50xi32>
  %rows = mdh.view.inp_view : () -> !mdh.mda<50x20x7>
  %s = mdh.view.inp_view %carries[affine_map<(i, j, k) -> (i)>] : (tensor<50xi32>) -> !mdh.mda<50x1x1, i32>
  %scanned = mdh.hom.md_hom %rows init(%s : !mdh.mda<50x1x1, i32>) combine [#mdh.cc, #mdh.ps<add>, #mdh.pw<add>] {
    %i = mdh.hom.index 0 : index
    %k = mdh.hom.index 2 : index
    %n = arith.addi %i, %k : index
    %l = arith.index_cast %n : index to i32
    mdh.hom.yield %l : i32
  } : !mdh.mda<50x20x7> -> !mdh.mda<50x20x1, i32>
  %v = mdh.view.out_view %scanned[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<50x20x1, i32> -> tensor<50x20xi32>

  // A scan with a constant carry.
  %seven = arith.constant 7 : i32
  %line = mdh.view.inp_view : () -> !mdh.mda<1000>
  %running = mdh.hom.md_hom %line init(%seven : i32) combine [#mdh.ps<add>] {
    %i = mdh.hom.index 0 : index
    %l = arith.index_cast %i : index to i32
    mdh.hom.yield %l : i32
  } : !mdh.mda<1000> -> !mdh.mda<1000, i32>
  %u = mdh.view.out_view %running[affine_map<(i) -> (i)>] : !mdh.mda<1000, i32> -> tensor<1000xi32>

  // An empty reduction.
  %empty = mdh.view.inp_view : () -> !mdh.mda<13x0>
  %first = mdh.view.inp_view %C[affine_map<(i, k) -> (i, 3)>] : (tensor<13x29xf32>) -> !mdh.mda<13x1, f32>
  %initial = mdh.hom.md_hom %empty init(%first : !mdh.mda<13x1, f32>) combine [#mdh.cc, #mdh.pw<max>] {
    %one = arith.constant 1.0 : f32
    mdh.hom.yield %one : f32
  } : !mdh.mda<13x0> -> !mdh.mda<13x1, f32>
  %t = mdh.view.out_view %initial[affine_map<(i, k) -> (i)>] : !mdh.mda<13x1, f32> -> tensor<13xf32>
  return %w, %v, %u, %t : tensor<13x29xf32>, tensor<50x20xi32>, tensor<1000xi32>, tensor<13xf32>
}

// A scalar of the caller, and +0.0, which is not the identity of the sum of -0.0.
func.func @scalars(%s: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %in = mdh.view.inp_view : () -> !mdh.mda<4x100>
  %r = mdh.hom.md_hom %in init(%s, %zero : f32, f32) combine [#mdh.cc, #mdh.pw<[max, add]>] {
    %k = mdh.hom.index 1 : index
    %l = arith.index_cast %k : index to i32
    %f = arith.sitofp %l : i32 to f32
    %minus = arith.constant -0.0 : f32
    mdh.hom.yield %f, %minus : f32, f32
  } : !mdh.mda<4x100> -> !mdh.mda<4x1, f32, f32>
  %w, %v = mdh.view.out_view %r[affine_map<(i, k) -> (i)>], [affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32, f32> -> tensor<4xf32>, tensor<4xf32>
  return %w, %v : tensor<4xf32>, tensor<4xf32>
}

// Results that start with the contents of their destination are updated in place: nothing is allocated, filled or copied.
// IR-LABEL: @update
// IR-NOT: memref.alloc
// IR-NOT: memref.copy
// IR: return
func.func @update(%A: memref<1000x33xf32>, %w: memref<33xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (memref<1000x33xf32>) -> !mdh.mda<1000x33, f32>
  %c = mdh.view.inp_view %w[affine_map<(i, k) -> (k)>] : (memref<33xf32>) -> !mdh.mda<1x33, f32>
  %r = mdh.hom.md_hom %in init(%c : !mdh.mda<1x33, f32>) combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1000x33, f32> -> !mdh.mda<1x33, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (k)>] into %w : !mdh.mda<1x33, f32>, memref<33xf32>
  return
}

// The same for a tensor that is not needed any more.
// IR-LABEL: @update_tensor
// IR-NOT: memref.alloc
// IR-NOT: memref.copy
// IR: return
func.func @update_tensor(%A: tensor<16x32xf32>, %B: tensor<32x24xf32>, %C: tensor<16x24xf32> {bufferization.writable = true}) -> tensor<16x24xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>] : (tensor<16x32xf32>, tensor<32x24xf32>) -> !mdh.mda<16x24x32, f32, f32>
  %c = mdh.view.inp_view %C[affine_map<(i, j, k) -> (i, j)>] : (tensor<16x24xf32>) -> !mdh.mda<16x24x1, f32>
  %r = mdh.hom.md_hom %in init(%c : !mdh.mda<16x24x1, f32>) combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x24x32, f32, f32> -> !mdh.mda<16x24x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<16x24x1, f32>, tensor<16x24xf32> -> tensor<16x24xf32>
  return %w : tensor<16x24xf32>
}

// Initial values that are overwritten by other elements are read from a copy.
// IR-LABEL: @reversed
// IR: memref.alloca() {alignment = 64 : i64} : memref<33xf32>
func.func @reversed(%A: memref<1000x33xf32>, %w: memref<33xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (memref<1000x33xf32>) -> !mdh.mda<1000x33, f32>
  %c = mdh.view.inp_view %w[affine_map<(i, k) -> (32 - k)>] : (memref<33xf32>) -> !mdh.mda<1x33, f32>
  %r = mdh.hom.md_hom %in init(%c : !mdh.mda<1x33, f32>) combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1000x33, f32> -> !mdh.mda<1x33, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (k)>] into %w : !mdh.mda<1x33, f32>, memref<33xf32>
  return
}

// Under --strict, the fold goes on from the initial value over all points in lexicographic order.
func.func @lexicographic(%A: tensor<9x17x5xf32>, %s: f32) -> tensor<17xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, j, k)>] : (tensor<9x17x5xf32>) -> !mdh.mda<9x17x5, f32>
  %r = mdh.hom.md_hom %in init(%s : f32) combine [#mdh.pw<add>, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    %i = mdh.hom.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %a, %f : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<9x17x5, f32> -> !mdh.mda<1x17x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (j)>] : !mdh.mda<1x17x1, f32> -> tensor<17xf32>
  return %w : tensor<17xf32>
}
