// A C program, and a C++ one, link the object and call it through the header.
// REQUIRES: omp
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit object --output %t/matvec.o
// RUN: mdh compile %s --emit header --output %t/matvec.h
// RUN: clang -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/matvec.c %t/matvec.o -lomp -lm -o %t/program
// RUN: env OMP_NUM_THREADS=2 %t/program | FileCheck %s
// RUN: clang++ -std=c++17 -Wall -Wextra -Werror -I%t -x c++ %S/Inputs/matvec.c -x none %t/matvec.o -lomp -lm -o %t/program
// RUN: %t/program | FileCheck %s
//
// The same program with a shared library.
// RUN: mdh compile %s --emit shared --output %t/libmatvec.so
// RUN: clang -I%t %S/Inputs/matvec.c -L%t -lmatvec -Wl,-rpath,%t -o %t/program
// RUN: %t/program | FileCheck %s
// CHECK: matvec: 20 60 100
// CHECK-NEXT: scale: 0.5 1 3 4
// CHECK-NEXT: extremes: 0.5 4 of 4

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

// Scales the first elements in place.
func.func @scale(%v: memref<?xf32>, %factor: f32, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = memref.load %v[%i] : memref<?xf32>
    %y = arith.mulf %x, %factor : f32
    memref.store %y, %v[%i] : memref<?xf32>
  }
  return
}

func.func @extremes(%v: tensor<?xf32>) -> (tensor<f32>, tensor<f32>, index) {
  %c0 = arith.constant 0 : index
  %in = mdh.view.inp_view %v[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<[min, max]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32, f32>
  %low, %high = mdh.view.out_view %res[affine_map<(i) -> ()>], [affine_map<(i) -> ()>]
      : !mdh.mda<1, f32, f32> -> tensor<f32>, tensor<f32>
  %count = tensor.dim %v, %c0 : tensor<?xf32>
  return %low, %high, %count : tensor<f32>, tensor<f32>, index
}

// C has no interface for vectors, so this is not in the header; private functions are not, either.
func.func @vector(%v: vector<4xf32>) -> vector<4xf32> {
  return %v : vector<4xf32>
}
func.func private @hidden() {
  return
}
// RUN: FileCheck %s --check-prefix=HEADER --implicit-check-not=ciface_vector --implicit-check-not=hidden < %t/matvec.h
// HEADER: void _mlir_ciface_matvec(mdh_f32_1d_t *results, mdh_f32_2d_t *argument0, mdh_f32_1d_t *argument1);
// HEADER: //   argument0: tensor<?xf32>, may be written in place
// HEADER: void _mlir_ciface_scale(mdh_f32_1d_t *argument0, float argument1, int64_t argument2);
// HEADER: //   result0: tensor<f32>, to be freed by the caller
