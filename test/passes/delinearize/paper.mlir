// The examples of Grosser, Ramanujam, Pouchet, Sadayappan and Pop, "Optimistic delinearization of parametrically sized
// arrays", and others: shapes, subscripts and conditions. All conditions are those of enumeration
// (passes/delinearize/tests.rs).
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | mdh-opt --mdh-delinearize | FileCheck %s
// The second run changes nothing: each function has as many views as arrays with a shape in each version.

// Slides 12 to 16: `A[(n2 * (n1 * o0 + o1) + o2) + n1 * n2 * i + n2 * j + k]`.
// CHECK-LABEL: @slide12
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @slide12(%A: memref<?xf64>, %n1: index, %n2: index, %o0: index, %o1: index, %o2: index, %s0: index, %s1: index, %s2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  scf.for %i = %c0 to %s0 step %c1 {
    scf.for %j = %c0 to %s1 step %c1 {
      scf.for %k = %c0 to %s2 step %c1 {
        %0 = arith.muli %n1, %o0 : index
        %1 = arith.addi %0, %o1 : index
        %2 = arith.muli %n2, %1 : index
        %3 = arith.addi %2, %o2 : index
        %4 = arith.muli %n1, %n2 : index
        %5 = arith.muli %4, %i : index
        %6 = arith.muli %n2, %j : index
        %7 = arith.addi %3, %5 : index
        %8 = arith.addi %7, %6 : index
        %9 = arith.addi %8, %k : index
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i + %arg3][j + %arg4][k + %arg5] if 0 <= %arg5 and %arg8 + %arg5 <= %arg2 and 0 <= %arg4 and %arg7 + %arg4 <= %arg1, exact}}
        memref.store %v, %A[%9] : memref<?xf64>
      }
    }
  }
  return
}

// Slides 4 to 7: a product of matrices.
// CHECK-LABEL: @gemm
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @gemm(%n: index, %m: index, %p: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        // expected-remark @below {{has shape [?][%arg2] and subscripts [i][k] if true, exact}}
        %a = affine.load %A[%i * symbol(%p) + %k] : memref<?xf64>
        // expected-remark @below {{has shape [?][%arg1] and subscripts [k][j] if true, exact}}
        %b = affine.load %B[%k * symbol(%m) + %j] : memref<?xf64>
        // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j], [i][j] if true, exact}}
        %c = affine.load %C[%i * symbol(%m) + %j] : memref<?xf64>
        %x = arith.mulf %a, %b : f64
        %y = arith.addf %c, %x : f64
        affine.store %y, %C[%i * symbol(%m) + %j] : memref<?xf64>
      }
    }
  }
  return
}

// Slide 8: rows with even numbers become those with odd ones.
// CHECK-LABEL: @odd_even
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @odd_even(%N: index, %A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %N step %c1 {
    scf.for %j = %c0 to %N step %c1 {
      %0 = arith.muli %j, %c2 : index
      %1 = arith.addi %0, %c1 : index
      %2 = arith.muli %1, %N : index
      %3 = arith.addi %2, %i : index
      %4 = arith.muli %0, %N : index
      %5 = arith.addi %4, %i : index
      // expected-remark @below {{has shape [?][%arg0] and subscripts [2 * j + 1][i], [2 * j][i] if true, exact}}
      %x = memref.load %A[%3] : memref<?xf32>
      memref.store %x, %A[%5] : memref<?xf32>
    }
  }
  return
}

// One access needs another shape than a row would.
// CHECK-LABEL: @diagonal
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @diagonal(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?][%arg1 + 1] and subscripts [i][0] if 0 <= %arg1, exact}}
    affine.store %v, %A[%i * symbol(%m) + %i] : memref<?xf64>
  }
  return
}

// With an access of rows, the shape has the size of these.
// CHECK-LABEL: @diagonal_and_row
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @diagonal_and_row(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?][%arg1] and subscripts [i][i], [i][j] if %arg0 <= %arg1, exact}}
    affine.store %v, %A[%i * symbol(%m) + %i] : memref<?xf64>
    affine.for %j = 0 to %m {
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}

// Slide 17: a size that stands twice.
// CHECK-LABEL: @squared
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @squared(%P: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %P {
    affine.for %j = 0 to %P {
      affine.for %k = 0 to %P {
        // expected-remark @below {{has shape [?][%arg0][%arg0] and subscripts [i][j][k] if true, exact}}
        affine.store %v, %A[%i * symbol(%P) * symbol(%P) + %j * symbol(%P) + %k] : memref<?xf64>
      }
    }
  }
  return
}

// Slides 18 to 20. The slide shows inner subscripts of -1, which are not within the array.
// CHECK-LABEL: @s1_to_s5
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @s1_to_s5(%L: index, %M: index, %N: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %L {
    affine.for %j = 0 to %N {
      affine.for %k = 0 to %M {
        // expected-remark @below {{has shape [?][%arg2][%arg1] and subscripts [i][j][k], [1][1][1], [0][0][%arg1 - 1], [0][%arg2 - 1][0], [0][%arg2 - 1][%arg1 - 1] if 2 <= %arg1 and 2 <= %arg2, exact}}
        affine.store %v, %A[%i * symbol(%N) * symbol(%M) + %j * symbol(%M) + %k] : memref<?xf64>
        affine.store %v, %A[symbol(%N) * symbol(%M) + symbol(%M) + 1] : memref<?xf64>
        affine.store %v, %A[symbol(%M) - 1] : memref<?xf64>
        affine.store %v, %A[symbol(%N) * symbol(%M) - symbol(%M)] : memref<?xf64>
        affine.store %v, %A[symbol(%N) * symbol(%M) - 1] : memref<?xf64>
      }
    }
  }
  return
}

// Slide 21: three versions.
// CHECK-LABEL: @slide21
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @slide21(%M: index, %N: index, %p: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %M {
    // expected-remark @+3 {{has shape [?][%arg1] and subscripts [i + 1][%arg2] if 0 <= %arg2 and %arg2 + 1 <= %arg1, exact}}
    // expected-remark @+2 {{has shape [?][%arg1] and subscripts [i + 2][%arg2 - %arg1] if %arg1 <= %arg2 and %arg2 + 1 <= 2 * %arg1, exact}}
    // expected-remark @below {{has shape [?][%arg1] and subscripts [i][%arg1 + %arg2] if 0 <= %arg1 + %arg2 and %arg2 + 1 <= 0, exact}}
    affine.store %v, %A[%i * symbol(%N) + symbol(%N) + symbol(%p)] : memref<?xf64>
  }
  return
}

// Slide 17: sizes with a factor.
// CHECK-LABEL: @scaled
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @scaled(%n: index, %P: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %P {
      // expected-remark @below {{has shape [?][2 * %arg1] and subscripts [i][2 * j], [i][2 * j + 1] if true, exact}}
      affine.store %v, %A[%i * 2 * symbol(%P) + 2 * %j] : memref<?xf64>
      affine.store %v, %A[%i * 2 * symbol(%P) + 2 * %j + 1] : memref<?xf64>
    }
  }
  return
}

// Slide 23: sizes with a summand.
// CHECK-LABEL: @plus
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @plus(%P1: index, %P2: index, %P3: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %P1 {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 + 1)>()[%P2] {
      affine.for %k = 0 to affine_map<()[s0] -> (s0 + 2)>()[%P3] {
        // expected-remark @below {{has shape [?][%arg1 + 1][%arg2 + 2] and subscripts [i][j][k] if true, exact}}
        affine.store %v, %A[(%i * (symbol(%P2) + 1) + %j) * (symbol(%P3) + 2) + %k] : memref<?xf64>
      }
    }
  }
  return
}

// Reversed rows.
// CHECK-LABEL: @reversed
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @reversed(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][%arg1 - j - 1] if true, exact}}
      affine.store %v, %A[symbol(%m) * %i + symbol(%m) - %j - 1] : memref<?xf64>
    }
  }
  return
}

// Windows of a row.
// CHECK-LABEL: @window
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @window(%n: index, %w: index, %q: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<()[s0, s1] -> (s0 - s1 + 1)>()[%w, %q] {
      affine.for %k = 0 to %q {
        // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j + k] if true, exact}}
        affine.store %v, %A[%i * symbol(%w) + %j + %k] : memref<?xf64>
      }
    }
  }
  return
}

// A triangle: bounds depend on an outer loop.
// CHECK-LABEL: @triangle
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @triangle(%n: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      // expected-remark @below {{has shape [?][%arg0] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * symbol(%n) + %j] : memref<?xf64>
    }
  }
  return
}

// The interior of a stencil.
// CHECK-LABEL: @stencil
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @stencil(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i - 1][j], [i + 1][j], [i][j - 1], [i][j + 1] if true, exact}}
      %0 = affine.load %A[(%i - 1) * symbol(%m) + %j] : memref<?xf64>
      %1 = affine.load %A[(%i + 1) * symbol(%m) + %j] : memref<?xf64>
      %2 = affine.load %A[%i * symbol(%m) + %j - 1] : memref<?xf64>
      %3 = affine.load %A[%i * symbol(%m) + %j + 1] : memref<?xf64>
      %4 = arith.addf %0, %1 : f64
      %5 = arith.addf %2, %3 : f64
      %6 = arith.addf %4, %5 : f64
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      affine.store %6, %B[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}

// Sizes that are numbers.
// CHECK-LABEL: @constants
// CHECK: memref.reinterpret_cast
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @constants(%A: memref<1000000xf64>, %B: memref<1000000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      // expected-remark @below {{has shape [?][1000] and subscripts [i][j] if true, exact}}
      %0 = affine.load %A[%i * 1000 + %j] : memref<1000000xf64>
      // expected-remark @below {{has shape [?][1000] and subscripts [j][i] if true, exact}}
      affine.store %0, %B[%j * 1000 + %i] : memref<1000000xf64>
    }
  }
  return
}

// Distances that may be negative or zero.
// CHECK-LABEL: @negative
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
func.func @negative(%n: index, %k: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?][%arg1] and subscripts [i][0], [i + 1][0] if 1 <= %arg1, exact}}
    affine.store %v, %A[%i * symbol(%k)] : memref<?xf64>
    affine.store %v, %A[(%i + 1) * symbol(%k)] : memref<?xf64>
  }
  return
}

// Accesses without a common shape.
// CHECK-LABEL: @no_common
// CHECK-NOT: memref.reinterpret_cast
func.func @no_common(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has an array that is not delinearized: requires sizes under which every index is affine and can be within them, but there are none}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf64>
      affine.store %v, %A[%j * symbol(%n) + %i] : memref<?xf64>
    }
  }
  return
}
