// Loops with counters (`scf.while`) that become counted loops, and are raised.
// RUN: mdh-opt %s --mdh-delinearize --mdh-raise | FileCheck %s
// RUN: %python %S/../../raise/Inputs/arrays.py %t 40 5x7
// RUN: mdh run %s --function down --input %t0.npy --input 30 --check
// RUN: mdh run %s --function down --input %t0.npy --input 0 --check
// RUN: mdh run %s --function through --input %t0.npy --input 30 --check
// RUN: mdh run %s --function through --input %t0.npy --input -1 --check
// RUN: mdh run %s --function extended --input %t0.npy --input 30 --check
// RUN: mdh run %s --function until --input %t0.npy --input 30 --check
// RUN: mdh run %s --function steps --input %t0.npy --input 29 --check
// RUN: mdh run %s --function two --input %t0.npy --input 30 --check
// RUN: mdh run %s --function below --input %t0.npy --input 30 --check
// RUN: mdh run %s --function nest --input %t1.npy --input 5 --input 7 --check
// RUN: mdh run %s --function last --input %t0.npy --input 30 --check
// RUN: mdh run %s --function last --input %t0.npy --input -5 --check

// for (int i = n - 1; i >= 0; i--)
// CHECK-LABEL: @down
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @down(%A: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = arith.subi %n, %c1 overflow<nsw> : i32
  %r = scf.while (%i = %s) : (i32) -> i32 {
    %c = arith.cmpi sge, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_cast %i : i32 to index
    %x = memref.load %A[%k] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%k] : memref<?xf32>
    %j = arith.subi %i, %c1 : i32
    scf.yield %j : i32
  }
  return
}

// for (int i = 0; i <= n; i++)
// CHECK-LABEL: @through
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @through(%A: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi sle, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_cast %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c1 overflow<nsw> : i32
    scf.yield %j : i32
  }
  return
}

// int i; i < n with size_t n
// CHECK-LABEL: @extended
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @extended(%A: memref<?xf32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %e = arith.extsi %i : i32 to i64
    %c = arith.cmpi ult, %e, %n : i64
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_cast %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c1 overflow<nsw> : i32
    scf.yield %j : i32
  }
  return
}

// unsigned i != n
// CHECK-LABEL: @until
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @until(%A: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi ne, %n, %i : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_castui %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c1 overflow<nuw> : i32
    scf.yield %j : i32
  }
  return
}

// for (long i = 1; i < n; i += 4)
// CHECK-LABEL: @steps
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @steps(%A: memref<?xf32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c1) : (i64) -> i64 {
    %c = arith.cmpi sgt, %n, %i : i64
    scf.condition(%c) %i : i64
  } do {
  ^bb0(%i: i64):
    %k = arith.index_cast %i : i64 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c4 overflow<nsw> : i64
    scf.yield %j : i64
  }
  return
}

// One counter counts the index up from 1, another one counts the rest down, as in Fortran.
// CHECK-LABEL: @two
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @two(%A: memref<?xf32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %v = arith.constant 1.0 : f32
  %rest = arith.extsi %n : i32 to i64
  %r:2 = scf.while (%i = %c1, %m = %rest) : (i32, i64) -> (i32, i64) {
    %c = arith.cmpi sgt, %m, %zero : i64
    scf.condition(%c) %i, %m : i32, i64
  } do {
  ^bb0(%i: i32, %m: i64):
    %e = arith.extsi %i : i32 to i64
    %p = arith.subi %e, %one overflow<nsw> : i64
    %k = arith.index_cast %p : i64 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c1 overflow<nsw> : i32
    %l = arith.subi %m, %one overflow<nsw> : i64
    scf.yield %j, %l : i32, i64
  }
  return
}

// A bound that is computed in the condition: i < n - 2.
// CHECK-LABEL: @below
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @below(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (index) -> index {
    %e = arith.subi %n, %c2 : index
    %c = arith.cmpi slt, %i, %e : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %v, %A[%i] : memref<?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}

// The last value of the counter, and a sum.
// CHECK-LABEL: @last
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @last(%A: memref<?xf32>, %n: i32) -> (i32, f32) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %v = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %c0, %s = %v) : (i32, f32) -> (i32, f32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %s : i32, f32
  } do {
  ^bb0(%i: i32, %s: f32):
    %k = arith.index_cast %i : i32 to index
    %x = memref.load %A[%k] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    %j = arith.addi %i, %c3 overflow<nsw> : i32
    scf.yield %j, %t : i32, f32
  }
  return %r#0, %r#1 : i32, f32
}

// A nest: bounds of the inner loop are computed before the outer one.
// CHECK-LABEL: @nest
// CHECK-NOT:   scf.while
// CHECK-NOT:   scf.for
// CHECK:       combine [#mdh.cc, #mdh.cc]
func.func @nest(%A: memref<?x?xf32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %s = scf.while (%j = %c0) : (i32) -> i32 {
      %e = arith.subi %m, %c1 : i32
      %c = arith.cmpi sle, %j, %e : i32
      scf.condition(%c) %j : i32
    } do {
    ^bb0(%j: i32):
      %k = arith.index_cast %i : i32 to index
      %l = arith.index_cast %j : i32 to index
      memref.store %v, %A[%k, %l] : memref<?x?xf32>
      %o = arith.addi %j, %c1 overflow<nsw> : i32
      scf.yield %o : i32
    }
    %p = arith.addi %i, %c1 overflow<nsw> : i32
    scf.yield %p : i32
  }
  return
}

// A counter that may wrap around: i <= n has no end if n is the largest number, and i += 2 may pass it.
// CHECK-LABEL: @endless
// CHECK:       scf.while
func.func @endless(%A: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi sle, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_cast %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j : i32
  }
  return
}
// CHECK-LABEL: @passes
// CHECK:       scf.while
func.func @passes(%A: memref<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %v = arith.constant 1.0 : f32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_castui %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c2 : i32
    scf.yield %j : i32
  }
  return
}
// It does not if the bound is a number of fewer bits.
// CHECK-LABEL: @short
// CHECK-NOT:   scf.while
// CHECK:       mdh.hom.md_hom
func.func @short(%A: memref<?xf32>, %m: i16) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %v = arith.constant 1.0 : f32
  %n = arith.extui %m : i16 to i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi ule, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_castui %i : i32 to index
    memref.store %v, %A[%k] : memref<?xf32>
    %j = arith.addi %i, %c2 : i32
    scf.yield %j : i32
  }
  return
}
