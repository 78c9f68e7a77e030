// The C interface: strides, results allocated or in the caller's memory, in-place arguments, and the checks of checked functions.
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --checked --output %t/interface.h
// RUN: mdh compile %s --emit object --checked --threads 1 --output %t/interface.o
// RUN: clang -std=gnu11 -Wall -Wextra -Werror -fsanitize=address,undefined -I%t %S/Inputs/interface.c %t/interface.o -Wl,--wrap=malloc -lm -o %t/program
// RUN: %t/program | FileCheck %s
// RUN: mdh compile %s --emit shared --checked --output %t/libinterface.so
// RUN: %python %S/Inputs/interface.py %root/docs/embedding.md %t | FileCheck %s --check-prefix=PYTHON
//
// Without --checked, the header states the caller's obligations.
// RUN: mdh compile %s --emit header --output - | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED: Nothing is checked (see --checked)

#rows = affine_map<(i, k) -> (i, k)>

// CHECK: row-major: 20 60 100, 1 allocations
// CHECK-NEXT: column-major: 20 60 100, 2 allocations
// CHECK-NEXT: reversed: 10 50 90, 3 allocations
// CHECK-NEXT: into every second element: 20 -1 60 -1 100 -1
// CHECK-NEXT: nothing: 0 rows
func.func @matvec(%M: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %M[#rows], %v[affine_map<(i, k) -> (k)>]
      : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// A destination is a value.
// CHECK-NEXT: destination: 6 22, caller's 9 9, 1 allocations
func.func @destination(%A: tensor<2x4xf32>, %C: tensor<2xf32>) -> tensor<2xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<2x4xf32>) -> !mdh.mda<2x4, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x4, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] into %C : !mdh.mda<2x1, f32>, tensor<2xf32> -> tensor<2xf32>
  return %w : tensor<2xf32>
}

// The writable argument is the result.
// CHECK-NEXT: in place: 6 22, the same memory, 0 allocations
// CHECK-NEXT: in place with strides: 6 9 22 9, result 6 22
func.func @in_place(%A: tensor<2x4xf32>, %C: tensor<2xf32> {bufferization.writable = true}) -> tensor<2xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<2x4xf32>) -> !mdh.mda<2x4, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x4, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] into %C : !mdh.mda<2x1, f32>, tensor<2xf32> -> tensor<2xf32>
  return %w : tensor<2xf32>
}

// CHECK-NEXT: negated: 1 0 1, 0 1 1
func.func @negated(%x: memref<?xi1>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xi1>) -> !mdh.mda<?, i1>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i1):
    %one = arith.constant true
    %b = arith.xori %a, %one : i1
    mdh.hom.yield %b : i1
  } : !mdh.mda<?, i1> -> !mdh.mda<?, i1>
  mdh.view.out_view %res[affine_map<(i) -> (i)>] into %x : !mdh.mda<?, i1>, memref<?xi1>
  return
}

// Scalars of all types, whose unused bits are 0, and a result that is returned twice.
// CHECK-NEXT: scalars: 0x3e00 0x3fc0 0xfffffe -3, 2 2
func.func @scalars(%h: f16, %b: bf16, %n: i24, %i: i128, %x: tensor<2xf32>)
    -> (f16, bf16, i24, i128, tensor<2xf32>, tensor<2xf32>) {
  %one = arith.constant 1 : i24
  %m = arith.subi %n, %one : i24
  return %h, %b, %m, %i, %x, %x : f16, bf16, i24, i128, tensor<2xf32>, tensor<2xf32>
}

// Descending indices, and an extent that is an argument.
func.func @backwards(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (3 - i)>] extents(%n) : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// CHECK-NEXT: 1: argument 1 of 'destination' requires size 4 in dimension 2, but has 3
// CHECK-NEXT: 1: argument 1 of 'destination' requires type f32, but has type f64
// CHECK-NEXT: 1: argument 2 of 'destination' requires rank 1, but has rank 2
// CHECK-NEXT: 1: argument 1 of 'destination' requires data, but it is NULL
// CHECK-NEXT: 1: argument 1 of 'destination' requires data at a multiple of 4 bytes, but it is at
// CHECK-NEXT: 1: argument 2 of 'matvec' has size 3 in dimension 1, but is accessed at index 3
// CHECK-NEXT: backwards: 3 2 1
// CHECK-NEXT: 1: argument 1 of 'backwards' has size 4 in dimension 1, but is accessed at index -1
// CHECK-NEXT: 1: argument 1 of 'backwards' has size 3 in dimension 1, but is accessed at index 3
// CHECK-NEXT: 1: argument 1 of 'matvec' requires sizes of at least 0, but has -1 in dimension 1
// CHECK-NEXT: 1: argument 2 of 'in_place' is written, and requires strides with an element for each index
// CHECK-NEXT: 1: result 1 of 'matvec' has size 3 in dimension 1, but its memory has 2
// CHECK-NEXT: 1: 'matvec' requires 2 arguments, but they are NULL
// CHECK-NEXT: 1 without a message

// PYTHON: [20.0, 60.0, 100.0]
// PYTHON-NEXT: [10.0, 50.0, 90.0]
// PYTHON-NEXT: argument 2 of 'matvec' has size 3 in dimension 1, but is accessed at index 3
// PYTHON-NEXT: argument 2 of 'matvec' requires type f32, but has type f64
// PYTHON-NEXT: an array of 'Q' in steps of its elements is required
// PYTHON-NEXT: 2 arguments are required, not 1
