// A C program, and a C++ one, link the object and call it through the header.
// REQUIRES: omp
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit object --output %t/matvec.o 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: note: link with -lomp -lm
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
//
// No other symbol is exported; a prefix is added to the names; single-threaded code does not need the OpenMP library.
// RUN: nm --defined-only --extern-only %t/matvec.o | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=T
// SYMBOLS-DAG: T matvec
// SYMBOLS-DAG: T scale
// SYMBOLS-DAG: T extremes
// RUN: mdh compile %s --emit object --prefix my_ --threads 1 --output %t/one.o 2>&1 | FileCheck %s --check-prefix=LINK-ONE
// LINK-ONE: note: link with -lm
// RUN: nm %t/one.o | FileCheck %s --check-prefix=ONE --implicit-check-not=__kmpc
// ONE-DAG: T my_matvec
// ONE-DAG: T my_scale
// RUN: not mdh compile %s --emit object --prefix 1x --output %t/one.o 2>&1 | FileCheck %s --check-prefix=PREFIX
// PREFIX: error: --prefix requires letters, digits and '_', no digit first, but got '1x'
//
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

// C has no interface for vectors, so this is not in the header; neither are private functions.
func.func @vector(%v: vector<4xf32>) -> vector<4xf32> {
  return %v : vector<4xf32>
}
func.func private @hidden() {
  return
}
// RUN: FileCheck %s --check-prefix=HEADER --implicit-check-not=vector --implicit-check-not=hidden < %t/matvec.h
// HEADER: linked with -lomp -lm
// HEADER: //   arguments[1]: tensor<?xf32>
// HEADER: //   results[0]: tensor<?xf32>
// HEADER: int32_t matvec(const mdh_array *arguments, mdh_array *results, char *message);
// HEADER: //   arguments[0]: tensor<?xf32>, written
// HEADER: //   arguments[1]: f32
// HEADER: int32_t scale(const mdh_array *arguments, mdh_array *results, char *message);
// HEADER: //   results[2]: index
