// Index expressions of the tests of LLVM (llvm/test/Analysis/Delinearization) and of Polly (ScopInfo/multidim_*), written
// anew: those with numbers as sizes or as bounds of loops.
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | FileCheck %s
// RUN: mdh-opt %s --mdh-delinearize > %t.once.mlir
// RUN: mdh-opt %t.once.mlir --mdh-delinearize | diff %t.once.mlir -
// CHECK-COUNT-5: scf.if
// CHECK-NOT: scf.if

// LLVM, fixed_size_array: other subscripts in rows of 32 elements and planes of 8 rows.
func.func @subscripts(%A: memref<?xi32>) {
  %v = arith.constant 1 : i32
  // `A[i][7 - j][k]`.
  affine.for %i = 0 to 42 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to 32 {
        // expected-remark @below {{has shape [?][8][32] and subscripts [i][7 - j][k] if true, exact}}
        affine.store %v, %A[%i * 256 + (7 - %j) * 32 + %k] : memref<?xi32>
      }
    }
  }
  // `A[i][2 * j + 1][k]`: a pair of rows is one row, as with LLVM.
  affine.for %i = 0 to 42 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 32 {
        // expected-remark @below {{has shape [?][4][64] and subscripts [i][j][k + 32] if true, exact}}
        affine.store %v, %A[%i * 256 + (2 * %j + 1) * 32 + %k] : memref<?xi32>
      }
    }
  }
  // `A[i][j][3 * k]`: the factor 3 does not divide the sizes.
  affine.for %i = 0 to 42 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to 10 {
        // expected-remark @below {{has shape [?][8][32] and subscripts [i][j][3 * k] if true, exact}}
        affine.store %v, %A[%i * 256 + %j * 32 + 3 * %k] : memref<?xi32>
      }
    }
  }
  // `A[i][j + k][i]`: a plane and one element more are one row.
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        // expected-remark @below {{has shape [?][257] and subscripts [i][32 * j + 32 * k] if true, exact}}
        affine.store %v, %A[%i * 256 + (%j + %k) * 32 + %i] : memref<?xi32>
      }
    }
  }
  // `A[i][i][j + k]`: a plane and a row more are one row.
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 10 {
      affine.for %k = 0 to 10 {
        // expected-remark @below {{has shape [?][288] and subscripts [i][j + k] if true, exact}}
        affine.store %v, %A[%i * 256 + %i * 32 + %j + %k] : memref<?xi32>
      }
    }
  }
  // `A[i][j + k][l]`.
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        affine.for %l = 0 to 32 {
          // expected-remark @below {{has shape [?][8][32] and subscripts [i][j + k][l] if true, exact}}
          affine.store %v, %A[%i * 256 + (%j + %k) * 32 + %l] : memref<?xi32>
        }
      }
    }
  }
  return
}

// LLVM, array_info_delinearization and global_array_bounds: parameters are the bounds of the loops.
func.func @bounds(%n: index, %m: index, %A: memref<200xi32>) {
  %v = arith.constant 1 : i32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][20] and subscripts [i][j] if %arg1 <= 20, exact}}
      affine.store %v, %A[%i * 20 + %j] : memref<200xi32>
    }
  }
  return
}

// Polly, multidim_3d_parametric_array_static_loop_bounds: numbers are the bounds of the loops.
func.func @sizes(%m: index, %o: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 150 {
      affine.for %k = 0 to 200 {
        // expected-remark @below {{has shape [?][%arg0][%arg1] and subscripts [i][j][k] if 200 <= %arg1 and 150 <= %arg0, exact}}
        affine.store %v, %A[(%i * symbol(%m) + %j) * symbol(%o) + %k] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, parameter_addrec_product: the size is an element, which is loaded in the nest (LLVM takes it) or before it.
func.func @loaded_size(%P: memref<i64>, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %0 = memref.load %P[] : memref<i64>
      %1 = arith.index_cast %0 : i64 to index
      %2 = arith.muli %i, %1 : index
      %3 = arith.addi %2, %j : index
      // expected-remark @below {{is not delinearized: requires indices that are polynomials of loop variables and of values from outside of the loops, but one depends on memref.load}}
      memref.store %v, %A[%3] : memref<?xf32>
    }
  }
  %4 = memref.load %P[] : memref<i64>
  %5 = arith.index_cast %4 : i64 to index
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      // expected-remark @below {{has shape [?][s0] and subscripts [i][j] if 100 <= s0, exact}}
      affine.store %v, %A[%i * symbol(%5) + %j] : memref<?xf32>
    }
  }
  return
}

// LLVM, validation_large_size: an array has at most 2^62 bytes. The first one has as many, and the second one has more.
func.func @large(%A: memref<?xi8>) {
  %v = arith.constant 0 : i8
  affine.for %i = 0 to 18014398509481984 {
    affine.for %j = 0 to 256 {
      // expected-remark @below {{has shape [?][256] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * 256 + %j] : memref<?xi8>
    }
  }
  return
}
func.func @too_large(%A: memref<?xi64>) {
  %v = arith.constant 0 : i64
  affine.for %i = 0 to 18014398509481984 {
    affine.for %j = 0 to 256 {
      // expected-remark @below {{has an array that is not delinearized: requires a condition that can hold}}
      affine.store %v, %A[%i * 256 + %j] : memref<?xi64>
    }
  }
  return
}
