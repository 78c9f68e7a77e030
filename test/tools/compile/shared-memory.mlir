// Arguments may share memory: loops have the results that they have one iteration after the other.
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --output %t/shared_memory.h
// RUN: mdh compile %s --emit object --threads 1 --output %t/object.o
// RUN: clang -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/shared_memory.c %t/object.o -lm -o %t/program
// RUN: %t/program | FileCheck %s
// CHECK: 0 wrong
//
// RUN: mdh-opt %s --mdh-delinearize --mdh-raise | FileCheck %s --check-prefix=RAISED
// RAISED-LABEL: @smooth
// RAISED:       scf.if
// RAISED:       mdh.hom.md_hom
// RAISED:       } else {
// RAISED:       {mdh.original}
// RAISED-LABEL: @transpose
// RAISED:       scf.if
// RAISED:       mdh.hom.md_hom
// RAISED:       } else {
// RAISED:       {mdh.original}

func.func @smooth(%x: memref<?xi32>, %y: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xi32>
    %1 = affine.load %x[%i + 1] : memref<?xi32>
    %2 = arith.addi %0, %1 : i32
    affine.store %2, %y[%i] : memref<?xi32>
  }
  return
}

func.func @transpose(%x: memref<?xi32>, %y: memref<?xi32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %x[%i * symbol(%m) + %j] : memref<?xi32>
      affine.store %0, %y[%j * symbol(%n) + %i] : memref<?xi32>
    }
  }
  return
}
