// Typed functions of the header in C and C++: pointers, numbers, dynamic sizes and strides of rows instead of arrays.
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --checked --output %t/typed.h
//
// The run-time library of GCC before 13 does not convert bf16, which clang asks for where numbers of that type are passed.
// RUN: mdh compile %s --emit object --checked --threads 1 --output %t/typed.o
// RUN: clang -std=c99 -Wall -Wextra -pedantic -Werror -fsanitize=address,undefined -I%t %S/Inputs/typed.c %t/typed.o -rtlib=compiler-rt -lm -o %t/program
// RUN: %t/program | FileCheck %s
// RUN: clang++ -std=c++11 -Wall -Wextra -pedantic -Werror -I%t -x c++ %S/Inputs/typed.c -x none %t/typed.o -rtlib=compiler-rt -lm -o %t/program
// RUN: %t/program | FileCheck %s
// RUN: FileCheck %s --check-prefix=HEADER < %t/typed.h
//
// An object says itself that its functions are not checked.
// RUN: mdh compile %s --emit object --threads 1 --output %t/typed.o
// RUN: clang -std=c99 -DUNCHECKED -I%t %S/Inputs/typed.c %t/typed.o -rtlib=compiler-rt -lm -o %t/program
// RUN: %t/program | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED: checked: 0
//
// Its constants have names that its functions cannot have.
// RUN: echo 'func.func @f() { return } func.func @mdh_checked_f() { return }' > %t/taken.mlir
// RUN: not mdh compile %t/taken.mlir --emit object --output %t/typed.o 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: 'mdh_checked_f' cannot be exported: a constant says by this name whether a function is checked

// CHECK: checked: 1
// CHECK-NEXT: static: 6 22
// CHECK-NEXT: strided: 6 22
// HEADER: extern const int32_t mdh_checked_fixed;
// HEADER: static inline int32_t mdh_call_fixed(
// HEADER-NEXT: const float *argument0, int64_t argument0_stride,
// HEADER-NEXT: float *result0,
// HEADER-NEXT: char *message) {
func.func @fixed(%A: tensor<2x4xf32>) -> tensor<2xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (tensor<2x4xf32>) -> !mdh.mda<2x4, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2x4, f32> -> !mdh.mda<2x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<2x1, f32> -> tensor<2xf32>
  return %w : tensor<2xf32>
}

// CHECK-NEXT: dynamic: 20 60 100
// CHECK-NEXT: 1: argument 2 of 'matvec' has size 3 in dimension 1, but is accessed at index 3
// CHECK-NEXT: 1: result 1 of 'matvec' has size 3 in dimension 1, but its memory has 2
// HEADER: mdh_call_matvec(
// HEADER-NEXT: const float *argument0, int64_t argument0_size0, int64_t argument0_size1, int64_t argument0_stride,
// HEADER-NEXT: const float *argument1, int64_t argument1_size0,
// HEADER-NEXT: float *result0, int64_t result0_size0,
// HEADER-NEXT: char *message) {
func.func @matvec(%M: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<?x?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %product = arith.mulf %m, %x : f32
    mdh.hom.yield %product : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// Its name is that of a variable of typed functions. It writes to every second row.
// CHECK-NEXT: written: 0.5 1 3 4
// CHECK-NEXT: 1: argument 1 of 'arguments' is written, and requires strides with an element for each index
func.func @arguments(%v: memref<?x2xf32>, %factor: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = memref.dim %v, %c0 : memref<?x2xf32>
  scf.for %i = %c0 to %rows step %c2 {
    scf.for %j = %c0 to %c2 step %c1 {
      %x = memref.load %v[%i, %j] : memref<?x2xf32>
      %y = arith.mulf %x, %factor : f32
      memref.store %y, %v[%i, %j] : memref<?x2xf32>
    }
  }
  return
}

// CHECK-NEXT: scalars: 1.5 1.5 -2 7, of 2 numbers
// HEADER: static inline int32_t mdh_call_scalars(
// HEADER-NEXT: mdh_float16 argument0,
// HEADER-NEXT: mdh_bfloat16 argument1,
// HEADER-NEXT: mdh_int128 argument2,
// HEADER-NEXT: bool argument3,
// HEADER-NEXT: const int32_t *argument4, int64_t argument4_size0, int64_t argument4_size2,
// HEADER-NEXT: mdh_float16 *result0,
// HEADER-NEXT: mdh_bfloat16 *result1,
// HEADER-NEXT: mdh_int128 *result2,
// HEADER-NEXT: int64_t *result3,
// HEADER-NEXT: int32_t *result4, int64_t result4_size0, int64_t result4_size2,
func.func @scalars(%h: f16, %b: bf16, %i: i128, %c: i1, %x: tensor<?x1x?xi24>) -> (f16, bf16, i128, index, tensor<?x1x?xi24>) {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x1x?xi24>
  %one = arith.extui %c : i1 to i128
  %sum = arith.addi %i, %one : i128
  return %h, %b, %sum, %size, %x : f16, bf16, i128, index, tensor<?x1x?xi24>
}

// A complex number is two floats, and strides count complex numbers.
// CHECK-NEXT: complex: -2 1 -4 3
// HEADER: static inline int32_t mdh_call_times_i(
// HEADER-NEXT: const float *argument0, int64_t argument0_size0, int64_t argument0_stride,
// HEADER-NEXT: float *result0, int64_t result0_size0, int64_t result0_stride,
func.func @times_i(%x: tensor<?x1xcomplex<f32>>) -> tensor<?x1xcomplex<f32>> {
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x1xcomplex<f32>>
  %empty = tensor.empty(%size) : tensor<?x1xcomplex<f32>>
  %y = linalg.map ins(%x : tensor<?x1xcomplex<f32>>) outs(%empty : tensor<?x1xcomplex<f32>>) (%a: complex<f32>, %out: complex<f32>) {
    %product = complex.mul %a, %i : complex<f32>
    linalg.yield %product : complex<f32>
  }
  return %y : tensor<?x1xcomplex<f32>>
}

// CHECK-NEXT: nothing: 0
// HEADER: static inline int32_t mdh_call_nothing(
// HEADER-NEXT: char *message) {
// HEADER-NEXT: return nothing(NULL, NULL, message);
func.func @nothing() {
  return
}
