// Several computations of a function on a device: intermediate results stay there.
// RUN: mdh-opt %s --lower-mdh="target=opencl stop-after=gpu" | FileCheck %s --implicit-check-not=gpu.memcpy
// RUN: mdh-opt %s --lower-mdh="target=cuda stop-after=gpu" | FileCheck %s --implicit-check-not=gpu.memcpy
// REQUIRES: opencl
// RUN: mdh run %s --function chain --input 3 --input 2 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function dynamic --input 3 --input 7 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function dynamic --input 3 --input 0 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function in_place --input 3 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function memrefs --input 3 --input 5 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function loop --input 3 --input 4 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function loop --input 3 --input 0 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function branch --input 3 --input 4 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function branch --input 3 --input 5 --engine opencl --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// A product, to which a vector is added in place, and sums of columns: two arrays are transferred to the device, one back.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:.*]]: memref<20x8xi32>, %[[V:.*]]: memref<12xi32>)
// CHECK: gpu.memcpy %{{.*}}, %[[A]]
// CHECK: gpu.launch_func @mdh_kernels::@chain_kernel_1
// CHECK: gpu.memcpy %{{.*}}, %[[V]]
// CHECK: gpu.launch_func @mdh_kernels::@chain_kernel_2
// CHECK: gpu.launch_func @mdh_kernels::@chain_kernel_3
// CHECK: gpu.memcpy %[[SUMS:.*]], %{{.*}} : memref<12xi32>, memref<12xi32>
// CHECK: return %[[SUMS]]
// An output of one kernel is an input of another.
// CHECK: gpu.module
// CHECK: gpu.func @chain_kernel_1({{.*}}mdh.roles = ["input 1", "output 1"]
// CHECK: gpu.func @chain_kernel_2({{.*}}mdh.roles = ["input 1", "input 2", "output 1"]
// CHECK: gpu.func @chain_kernel_3({{.*}}mdh.roles = ["input 1"
func.func @chain(%a: tensor<20x8xi32>, %v: tensor<12xi32>) -> tensor<12xi32> {
  %in1 = mdh.view.inp_view %a[affine_map<(i, j, k) -> (i, k)>] : (tensor<20x8xi32>) -> !mdh.mda<20x12x8, i32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: i32):
    %k = mdh.hom.index 2 : index
    %j = mdh.hom.index 1 : index
    %n = arith.addi %k, %j : index
    %y = arith.index_cast %n : index to i32
    %p = arith.muli %x, %y : i32
    mdh.hom.yield %p : i32
  } : !mdh.mda<20x12x8, i32> -> !mdh.mda<20x12x1, i32>
  %c = mdh.view.out_view %r1[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<20x12x1, i32> -> tensor<20x12xi32>
  %in2 = mdh.view.inp_view %c[affine_map<(i, j) -> (i, j)>], %v[affine_map<(i, j) -> (j)>]
      : (tensor<20x12xi32>, tensor<12xi32>) -> !mdh.mda<20x12, i32, i32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<20x12, i32, i32> -> !mdh.mda<20x12, i32>
  %d = mdh.view.out_view %r2[affine_map<(i, j) -> (i, j)>] into %c : !mdh.mda<20x12, i32>, tensor<20x12xi32> -> tensor<20x12xi32>
  %in3 = mdh.view.inp_view %d[affine_map<(i, j) -> (i, j)>] : (tensor<20x12xi32>) -> !mdh.mda<20x12, i32>
  %r3 = mdh.hom.md_hom %in3 combine [#mdh.pw<add>, #mdh.cc] {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<20x12, i32> -> !mdh.mda<1x12, i32>
  %e = mdh.view.out_view %r3[affine_map<(i, j) -> (j)>] : !mdh.mda<1x12, i32> -> tensor<12xi32>
  return %e : tensor<12xi32>
}

// The square of each element, then sums of products with the elements: the elements are transferred once, for both.
// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-2: gpu.memcpy
// CHECK: return
func.func @dynamic(%factor: i32, %n: index) -> tensor<?xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?xi32>
  %x = scf.for %i = %zero to %n step %one iter_args(%before = %empty) -> (tensor<?xi32>) {
    %j = arith.index_cast %i : index to i32
    %y = arith.addi %j, %factor : i32
    %after = tensor.insert %y into %before[%i] : tensor<?xi32>
    scf.yield %after : tensor<?xi32>
  }
  %in1 = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %x[affine_map<(i) -> (i)>] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?, i32, i32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc] {
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    mdh.hom.yield %p : i32
  } : !mdh.mda<?, i32, i32> -> !mdh.mda<?, i32>
  %y = mdh.view.out_view %r1[affine_map<(i) -> (i)>] : !mdh.mda<?, i32> -> tensor<?xi32>
  %in2 = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?, i32, i32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.ps<add>] {
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    mdh.hom.yield %p : i32
  } : !mdh.mda<?, i32, i32> -> !mdh.mda<?, i32>
  %z = mdh.view.out_view %r2[affine_map<(i) -> (i)>] : !mdh.mda<?, i32> -> tensor<?xi32>
  return %z : tensor<?xi32>
}

// Every second element is written, and all are read: the destination is a device copy of the intermediate result.
// CHECK-LABEL: func.func @in_place(
// CHECK: gpu.memcpy %[[X:.*]], %{{.*}} : memref<12xi32>, memref<12xi32>
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[OUT:.*]], %[[Y:.*]] : memref<12xi32>, memref<12xi32>
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[RESULT:.*]], %[[OUT]] : memref<12xi32>, memref<12xi32>
// CHECK: return %[[RESULT]]
func.func @in_place(%x: tensor<12xi32>) -> tensor<12xi32> {
  %in1 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<12xi32>) -> !mdh.mda<12, i32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.cc] {
  ^bb0(%a: i32):
    %i = mdh.hom.index 0 : index
    %j = arith.index_cast %i : index to i32
    %b = arith.muli %a, %j : i32
    mdh.hom.yield %b : i32
  } : !mdh.mda<12, i32> -> !mdh.mda<12, i32>
  %y = mdh.view.out_view %r1[affine_map<(i) -> (i)>] : !mdh.mda<12, i32> -> tensor<12xi32>
  %in2 = mdh.view.inp_view %y[affine_map<(i) -> (i)>, affine_map<(i) -> (11 - i)>] : (tensor<12xi32>) -> !mdh.mda<6, i32, i32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.cc] {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    mdh.hom.yield %c : i32
  } : !mdh.mda<6, i32, i32> -> !mdh.mda<6, i32>
  %z = mdh.view.out_view %r2[affine_map<(i) -> (2 * i + 1)>] into %y : !mdh.mda<6, i32>, tensor<12xi32> -> tensor<12xi32>
  return %z : tensor<12xi32>
}

// The caller's memory is written twice. Its earlier inputs may alias it.
// CHECK-LABEL: func.func @memrefs(
// CHECK-SAME: %[[A:.*]]: memref<12xi32>, %[[B:.*]]: memref<12xi32>)
// CHECK: gpu.memcpy %{{.*}}, %[[A]]
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[B]], %[[FIRST:.*]] :
// CHECK: gpu.memcpy %{{.*}}, %[[A]]
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[B]],
// CHECK: return
func.func @memrefs(%a: memref<12xi32>, %b: memref<12xi32>) {
  %in1 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (memref<12xi32>) -> !mdh.mda<12, i32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.ps<add>] {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<12, i32> -> !mdh.mda<12, i32>
  mdh.view.out_view %r1[affine_map<(i) -> (i)>] into %b : !mdh.mda<12, i32>, memref<12xi32>
  %in2 = mdh.view.inp_view %a[affine_map<(i) -> (i)>], %b[affine_map<(i) -> (11 - i)>]
      : (memref<12xi32>, memref<12xi32>) -> !mdh.mda<12, i32, i32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.cc] {
  ^bb0(%x: i32, %y: i32):
    %p = arith.muli %x, %y : i32
    mdh.hom.yield %p : i32
  } : !mdh.mda<12, i32, i32> -> !mdh.mda<12, i32>
  mdh.view.out_view %r2[affine_map<(i) -> (i)>] into %b : !mdh.mda<12, i32>, memref<12xi32>
  return
}

// The matrix is transferred before the loop, and the vector in each iteration.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[A:.*]]: memref<8x8xi32>,
// CHECK: gpu.memcpy %{{.*}}, %[[A]]
// CHECK: scf.for
// CHECK: gpu.memcpy
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy
// CHECK: }
// CHECK: return
func.func @loop(%a: tensor<8x8xi32>, %n: index) -> tensor<8xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %end = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<8xi32>) {
    %in = mdh.view.inp_view %a[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
        : (tensor<8x8xi32>, tensor<8xi32>) -> !mdh.mda<8x8, i32, i32>
    %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
    ^bb0(%x: i32, %y: i32):
      %j = mdh.hom.index 0 : index
      %k = arith.index_cast %j : index to i32
      %z = arith.addi %x, %k : i32
      %p = arith.muli %z, %y : i32
      mdh.hom.yield %p : i32
    } : !mdh.mda<8x8, i32, i32> -> !mdh.mda<8x1, i32>
    %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<8x1, i32> -> tensor<8xi32>
    scf.yield %w : tensor<8xi32>
  }
  return %end : tensor<8xi32>
}

// Data that a branch may write is copied back, and transferred again.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[X:.*]]: memref<12xi32>,
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK: gpu.memcpy %{{.*}}, %[[X]]
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[Y]], %{{.*}} : memref<12xi32>, memref<12xi32>
// CHECK: scf.if
// CHECK: gpu.memcpy %{{.*}}, %[[Y]]
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy
// CHECK: return
func.func @branch(%x: tensor<12xi32>, %n: index) -> tensor<12xi32> {
  %in1 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<12xi32>) -> !mdh.mda<12, i32>
  %r1 = mdh.hom.md_hom %in1 combine [#mdh.ps<add>] {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<12, i32> -> !mdh.mda<12, i32>
  %y = mdh.view.out_view %r1[affine_map<(i) -> (i)>] : !mdh.mda<12, i32> -> tensor<12xi32>
  %four = arith.constant 4 : index
  %is_four = arith.cmpi eq, %n, %four : index
  %z = scf.if %is_four -> (tensor<12xi32>) {
    %value = arith.constant 100 : i32
    %w = tensor.insert %value into %y[%n] : tensor<12xi32>
    scf.yield %w : tensor<12xi32>
  } else {
    scf.yield %y : tensor<12xi32>
  }
  %in2 = mdh.view.inp_view %z[affine_map<(i) -> (i)>] : (tensor<12xi32>) -> !mdh.mda<12, i32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.ps<add>] {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<12, i32> -> !mdh.mda<12, i32>
  %o = mdh.view.out_view %r2[affine_map<(i) -> (i)>] : !mdh.mda<12, i32> -> tensor<12xi32>
  return %o : tensor<12xi32>
}
