// Functions with arrays in device memory: nothing is copied, work goes to the stream of the caller, and errors return.
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --target cuda --memory device --function product --emit gpu | FileCheck %s --check-prefix=IR --implicit-check-not=gpu.alloc --implicit-check-not=gpu.memcpy
// IR: func.func @product(%{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>) attributes {{.*}}mdh.device_memory
// IR-COUNT-2: call @mgpuCheckSize(
// IR: gpu.launch_func
// IR: return
// IR: gpu.func @product_kernel_1({{.*}}!llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, {{.*}}!llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}
// RUN: mdh compile %s --target cuda --memory device --function weighted --emit deallocate | FileCheck %s --check-prefix=CONSTANT --implicit-check-not=gpu.alloc --implicit-check-not=gpu.memcpy
// CONSTANT: call @mgpuConstant(
// CONSTANT: gpu.launch_func
// RUN: mdh compile %s --target cuda --memory device --function weighted --emit llvm-ir | FileCheck %s --check-prefix=OWNER
// OWNER: [[MODULE:%.*]] = load i64, ptr @mdh_kernels_module
// OWNER: call i64 @mdhCudaConstant(i64 [[MODULE]], i64 ptrtoint
// RUN: mdh compile %s --target cuda --memory device --emit shared --checked -o %t/checked.so
// RUN: mdh compile %s --target cuda --memory device --emit shared --opt-level 0 -o %t/unchecked.so
// RUN: %on-ptx-driver %python %S/../Inputs/on_device.py %t/checked.so %t/unchecked.so | FileCheck %s --match-full-lines
// CHECK: product: pending, [[PRODUCT:.*]]
// CHECK-NEXT: product of the product: {{.*}}
// CHECK-NEXT: both products: right, bytes left over: 0
// CHECK-NEXT: halves in place: [0.5, 1.0, 1.5, 2.0]
// CHECK-NEXT: total: 10.0
// CHECK-NEXT: a constant: True, [1.0, 4.0, 9.0, 16.0], bytes left over: 0
// CHECK-NEXT: 1: argument 2 of 'product' requires memory of 'PTX interpreter (sm_90)', but got memory of the host, at 0x{{[0-9a-f]*}}
// CHECK-NEXT: 1: argument 1 of 'product' requires data at a multiple of 16 bytes, but it is at 0x{{[0-9a-f]*}}
// CHECK-NEXT: 1: argument 1 of 'product' is in device memory, and requires row-major order, but has other strides
// CHECK-NEXT: 1: result 1 of 'product' requires data in device memory, but it is NULL
// CHECK-NEXT: 1: result 1 of 'product' is written, and must not share memory with argument 1
// CHECK-NEXT: 1: 'product': result 1 has size 2 in dimension 2, but its memory has 3
// CHECK-NEXT: 1: argument 2 of 'product' has size 2 in dimension 1, but is accessed at index 2
// CHECK-NEXT: 3: 'both': a buffer of {{[0-9]*}} bytes is too large for 'PTX interpreter (sm_90)', which {{.*}}
// CHECK-NEXT: after the errors: right, bytes left over: 0
// CHECK-NEXT: unchecked: right

// The header describes what callers pass.
// RUN: mdh compile %s --target cuda --memory device --emit header -o %t/on_device.h
// RUN: FileCheck %s --check-prefix=HEADER --input-file %t/on_device.h
// HEADER: // A function takes an array for each argument and each result, and a stream (CUstream) or NULL
// HEADER: int32_t product(const mdh_array *arguments, mdh_array *results, void *stream, char *message);
// HEADER: static inline int32_t mdh_call_product(
// HEADER-NOT: _stride
// HEADER: void *stream,
// HEADER-NEXT: char *message) {
// RUN: echo '#include "on_device.h"' > %t/a.c
// RUN: clang -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only %t/a.c

// What cannot be had is said.
// RUN: not mdh compile %s --memory device --emit object -o %t/a.o 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: --memory device requires --target cuda, but got 'cpu'
// RUN: not mdh compile %s --target opencl --memory device --emit object -o %t/a.o 2>&1 | FileCheck %s --check-prefix=OPENCL
// OPENCL: error: --memory device requires --target cuda, but got 'opencl'
// RUN: not mdh compile %s --target cuda --memory device --emit ptx 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: error: --memory device requires a stage or an output with the C interface, but got --emit ptx

func.func @product(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?x?, f32, f32> -> !mdh.mda<?x?x1, f32>
  %y = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<?x?x1, f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A temporary, which is allocated in the order of the stream, and two results.
func.func @both(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?x?, f32, f32> -> !mdh.mda<?x?x1, f32>
 %t = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<?x?x1, f32> -> tensor<?x?xf32>
  %in2 = mdh.view.inp_view %t[affine_map<(i, k) -> (i, k)>] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %r2 = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %sums = mdh.view.out_view %r2[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %in3 = mdh.view.inp_view %t[affine_map<(i, j, k) -> (i, k)>], %t[affine_map<(i, j, k) -> (j, k)>]
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?, f32, f32>
  %r3 = mdh.hom.md_hom %in3 combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?x?, f32, f32> -> !mdh.mda<?x?x1, f32>
  %y = mdh.view.out_view %r3[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<?x?x1, f32> -> tensor<?x?xf32>
  return %y, %sums : tensor<?x?xf32>, tensor<?xf32>
}

// An argument that is written in place.
func.func @halve(%x: memref<?xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %half = arith.constant 0.5 : f32
    %p = arith.mulf %a, %half : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %x : !mdh.mda<?, f32>, memref<?xf32>
  return
}

// A number that the host reads from the device.
func.func @total(%x: tensor<?xf32>) -> f32 {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  %z = tensor.extract %y[] : tensor<f32>
  return %z : f32
}

// A constant of the program, which is copied to the device in the first call.
func.func @weighted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %c[affine_map<(i) -> (i)>]
      : (tensor<4xf32>, tensor<4xf32>) -> !mdh.mda<4, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4, f32, f32> -> !mdh.mda<4, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
