// Sizes that an attribute suggests are tried first, and are checked like all others.
// RUN: mdh-opt %s --split-input-file --mdh-delinearize=print --verify-diagnostics | FileCheck %s

// A diagonal alone: its elements are 1001 apart, and have no rows without the attribute.
// CHECK-LABEL: @diagonal
// CHECK:       memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1000, 1000], strides: [1000, 1]
func.func @diagonal(%A: memref<1000000xf64> {mdh.inner_sizes = array<i64: 1000>}) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to 1000 {
    // expected-remark @below {{has shape [?][1000] and subscripts [i][i] if true, exact}}
    affine.store %v, %A[%i * 1001] : memref<1000000xf64>
  }
  return
}
// CHECK-LABEL: @alone
// CHECK-NOT:   memref.reinterpret_cast
func.func @alone(%A: memref<1000000xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to 1000 {
    affine.store %v, %A[%i * 1001] : memref<1000000xf64>
  }
  return
}

// On a view, with two sizes.
// CHECK-LABEL: @view
// CHECK:       sizes: [30, 40, 30], strides: [1200, 30, 1]
func.func @view(%A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  %B = memref.cast %A {mdh.inner_sizes = array<i64: 40, 30>} : memref<?xf64> to memref<36000xf64>
  affine.for %i = 0 to 30 {
    affine.for %j = 0 to 30 {
      // expected-remark @below {{has shape [?][40][30] and subscripts [i][i][j] if true, exact}}
      affine.store %v, %B[%i * 1230 + %j] : memref<36000xf64>
    }
  }
  return
}

// Sizes that are not right: indices are not within them, or not affine.
// CHECK-LABEL: @wrong
func.func @wrong(%n: index, %m: index, %A: memref<?xf64> {mdh.inner_sizes = array<i64: 7>}, %B: memref<100xf64> {mdh.inner_sizes = array<i64: 5>}) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      // expected-remark @below {{has shape [?][10] and subscripts [i][j] if true, exact}}
      affine.store %v, %B[%i * 10 + %j] : memref<100xf64>
    }
  }
  return
}

// -----

// expected-error @below {{mdh.inner_sizes requires an array<i64> of positive numbers, but it is array<i64: 10, 0>}}
func.func @zero(%A: memref<?xf64> {mdh.inner_sizes = array<i64: 10, 0>}) {
  return
}

// -----

func.func @number(%A: memref<?xf64>) {
  // expected-error @below {{mdh.inner_sizes requires an array<i64> of positive numbers, but it is 10 : i64}}
  %B = memref.cast %A {mdh.inner_sizes = 10} : memref<?xf64> to memref<100xf64>
  return
}
