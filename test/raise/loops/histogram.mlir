// Histograms: indices that are elements. The loops stay, and cost a step for each key.
// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 50@40 50 8
// RUN: %against-numpy mdh run %s --function counts --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function weights --input %t0.npy --input %t1.npy --input %t2.npy --check

// The elements are set by a computation, and counted in a loop.
// CHECK-LABEL: @counts
// CHECK:       mdh.hom.md_hom
// CHECK:       affine.for
// CHECK:       memref.store
func.func @counts(%key: memref<50xi32>) -> memref<8xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant 7 : i32
  %h = memref.alloc() : memref<8xi32>
  affine.for %b = 0 to 8 {
    affine.store %zero, %h[%b] : memref<8xi32>
  }
  // expected-remark @below {{is not raised: requires linear indices, but one is the result of arith.andi}}
  affine.for %i = 0 to 50 {
    %k = affine.load %key[%i] : memref<50xi32>
    %m = arith.andi %k, %mask : i32
    %b = arith.index_cast %m : i32 to index
    %c = memref.load %h[%b] : memref<8xi32>
    %s = arith.addi %c, %one : i32
    memref.store %s, %h[%b] : memref<8xi32>
  }
  return %h : memref<8xi32>
}

// CHECK-LABEL: @weights
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       scf.for
// CHECK:       memref.store
func.func @weights(%key: memref<50xi32>, %x: memref<50xf32>, %h: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 50 : index
  %mask = arith.constant 7 : i32
  // expected-remark @below {{is not raised: requires linear indices, but one is the result of arith.andi}}
  scf.for %i = %zero to %n step %one {
    %k = memref.load %key[%i] : memref<50xi32>
    %m = arith.andi %k, %mask : i32
    %b = arith.index_cast %m : i32 to index
    %w = memref.load %x[%i] : memref<50xf32>
    %c = memref.load %h[%b] : memref<8xf32>
    %s = arith.addf %c, %w : f32
    memref.store %s, %h[%b] : memref<8xf32>
  }
  return
}
