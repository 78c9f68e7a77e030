// Loops that stay, for the reasons in refused.mlir, give the same results.
// RUN: mdh-opt %s --mdh-raise 2>/dev/null | FileCheck %s --implicit-check-not=mdh.hom.md_hom
// RUN: %python %S/../Inputs/arrays.py %t 8x9 9 9 20 20 20@7 8x9 8
// RUN: %against-numpy mdh run %s --function parallel_sum --input %t0.npy
// RUN: %against-numpy mdh run %s --function reduced_in_parallel --input %t1.npy --input %t2.npy
// RUN: %against-numpy mdh run %s --function seidel --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function copied_forwards --input %t3.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function conditional --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function last --input %t3.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function modulo --input %t3.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function fibonacci --check
// RUN: %against-numpy mdh run %s --function recurrence --input %t3.npy --input %t4.npy --input 0.5 --check
// RUN: %against-numpy mdh run %s --function two_before --input %t3.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function rectangles --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function compacted --input %t5.npy --input -1 --check
// RUN: %against-numpy mdh run %s --function until_zero --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function tensor_in_parallel --input %t7.npy --check

// The reference evaluator does not evaluate parallel loops with results.
// CHECK-LABEL: @parallel_sum
// CHECK: affine.parallel
func.func @parallel_sum(%x: memref<8x9xf32>) -> f32 {
  %s = affine.parallel (%i, %j) = (0, 0) to (8, 9) reduce ("addf") -> (f32) {
    %a = affine.load %x[%i, %j] : memref<8x9xf32>
    affine.yield %a : f32
  }
  return %s : f32
}

// CHECK-LABEL: @reduced_in_parallel
// CHECK: scf.parallel
func.func @reduced_in_parallel(%x: memref<9xf32>, %y: memref<9xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %start = arith.constant 0.5 : f32
  %s = scf.parallel (%i) = (%c0) to (%c9) step (%c1) init (%start) -> f32 {
    %a = memref.load %x[%i] : memref<9xf32>
    %b = memref.load %y[%i] : memref<9xf32>
    %p = arith.mulf %a, %b : f32
    scf.reduce(%p : f32) {
    ^bb0(%left: f32, %right: f32):
      %t = arith.addf %left, %right : f32
      scf.reduce.return %t : f32
    }
  }
  return %s : f32
}

// CHECK-LABEL: @seidel
// CHECK: affine.for
func.func @seidel(%x: memref<20xf32>) {
  %half = arith.constant 0.5 : f32
  affine.for %i = 1 to 19 {
    %a = affine.load %x[%i - 1] : memref<20xf32>
    %b = affine.load %x[%i + 1] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    %p = arith.mulf %s, %half : f32
    affine.store %p, %x[%i] : memref<20xf32>
  }
  return
}

// An element is read before it is written.
// CHECK-LABEL: @copied_forwards
// CHECK: affine.for
func.func @copied_forwards(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}) -> memref<20xf32> {
  %z = memref.alloc() : memref<20xf32>
  %zero = arith.constant 0.0 : f32
  affine.store %zero, %z[19] : memref<20xf32>
  affine.for %i = 0 to 19 {
    %a = affine.load %x[%i] : memref<20xf32>
    affine.store %a, %y[%i] : memref<20xf32>
    %b = affine.load %y[%i + 1] : memref<20xf32>
    affine.store %b, %z[%i] : memref<20xf32>
  }
  return %z : memref<20xf32>
}

// CHECK-LABEL: @conditional
// CHECK: affine.for
func.func @conditional(%x: memref<20xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %c = arith.cmpf olt, %a, %zero : f32
    scf.if %c {
      affine.store %zero, %x[%i] : memref<20xf32>
    }
  }
  return
}

// CHECK-LABEL: @last
// CHECK: affine.for
func.func @last(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}) {
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    affine.store %a, %y[3] : memref<20xf32>
  }
  return
}

// CHECK-LABEL: @modulo
// CHECK: affine.for
func.func @modulo(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}) {
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i mod 3] : memref<20xf32>
    %b = affine.load %x[%i floordiv 4] : memref<20xf32>
    %s = arith.subf %a, %b : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// CHECK-LABEL: @fibonacci
// CHECK: affine.for
func.func @fibonacci() -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = affine.for %i = 0 to 40 iter_args(%a = %zero, %b = %one) -> (i64, i64) {
    %s = arith.addi %a, %b : i64
    affine.yield %b, %s : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}

// CHECK-LABEL: @recurrence
// CHECK: affine.for
func.func @recurrence(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}, %c: f32) {
  affine.for %i = 1 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %y[%i - 1] : memref<20xf32>
    %p = arith.mulf %b, %c : f32
    %s = arith.addf %p, %a : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// CHECK-LABEL: @two_before
// CHECK: affine.for
func.func @two_before(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}) {
  affine.for %i = 2 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %y[%i - 2] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// Sums of all elements above and to the left.
// CHECK-LABEL: @rectangles
// CHECK: affine.for
func.func @rectangles(%x: memref<8x9xf32>) -> memref<9x10xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<9x10xf32>
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 10 {
      %inside = affine.if affine_set<(i, j) : (i - 1 >= 0, j - 1 >= 0)>(%i, %j) -> f32 {
        %a = affine.load %x[%i - 1, %j - 1] : memref<8x9xf32>
        %b = affine.load %y[%i - 1, %j] : memref<9x10xf32>
        %c = affine.load %y[%i, %j - 1] : memref<9x10xf32>
        %d = affine.load %y[%i - 1, %j - 1] : memref<9x10xf32>
        %s = arith.addf %a, %b : f32
        %t = arith.addf %s, %c : f32
        %u = arith.subf %t, %d : f32
        affine.yield %u : f32
      } else {
        affine.yield %zero : f32
      }
      affine.store %inside, %y[%i, %j] : memref<9x10xf32>
    }
  }
  return %y : memref<9x10xf32>
}

// The positive elements, one after the other, and their number.
// CHECK-LABEL: @compacted
// CHECK: affine.for
func.func @compacted(%x: memref<20xi32>, %y: memref<20xi32> {llvm.noalias}) -> index {
  %zero = arith.constant 0 : i32
  %start = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = affine.for %i = 0 to 20 iter_args(%n = %start) -> index {
    %a = affine.load %x[%i] : memref<20xi32>
    %c = arith.cmpi sgt, %a, %zero : i32
    %m = scf.if %c -> index {
      memref.store %a, %y[%n] : memref<20xi32>
      %next = arith.addi %n, %one : index
      scf.yield %next : index
    } else {
      scf.yield %n : index
    }
    affine.yield %m : index
  }
  return %r : index
}

// The sum of the elements before the first zero.
// CHECK-LABEL: @until_zero
// CHECK: scf.while
func.func @until_zero(%x: memref<20xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %start = arith.constant 0 : index
  %one = arith.constant 1 : index
  %twenty = arith.constant 20 : index
  %r:2 = scf.while (%i = %start, %s = %zero) : (index, i32) -> (index, i32) {
    %inside = arith.cmpi ult, %i, %twenty : index
    %more = scf.if %inside -> i1 {
      %a = memref.load %x[%i] : memref<20xi32>
      %c = arith.cmpi ne, %a, %zero : i32
      scf.yield %c : i1
    } else {
      %false = arith.constant false
      scf.yield %false : i1
    }
    scf.condition(%more) %i, %s : index, i32
  } do {
  ^bb0(%i: index, %s: i32):
    %a = memref.load %x[%i] : memref<20xi32>
    %t = arith.addi %s, %a : i32
    %next = arith.addi %i, %one : index
    scf.yield %next, %t : index, i32
  }
  return %r#1 : i32
}

// CHECK-LABEL: @tensor_in_parallel
// CHECK: scf.forall
func.func @tensor_in_parallel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> tensor<8xf32> {
    %v = tensor.extract %x[%i] : tensor<8xf32>
    %w = arith.mulf %v, %v : f32
    %t = tensor.from_elements %w : tensor<1xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32> }
  }
  return %r : tensor<8xf32>
}
