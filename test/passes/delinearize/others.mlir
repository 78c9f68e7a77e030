// Index expressions of the tests of LLVM (llvm/test/Analysis/Delinearization) and of Polly (ScopInfo/multidim_*), written
// anew.
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | FileCheck %s
// RUN: mdh-opt %s --mdh-delinearize > %t.once.mlir
// RUN: mdh-opt %t.once.mlir --mdh-delinearize | diff %t.once.mlir -
// CHECK-COUNT-25: scf.if
// CHECK-NOT: scf.if

// LLVM, multidim_ivs_and_integer_offsets_3d: `A[i + 3][j - 4][k + 7]` with loops over the whole size is not within the
// array; loops that end there are.
func.func @integer_offsets(%n: index, %m: index, %o: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 4 to %m {
      affine.for %k = 0 to affine_map<()[s0] -> (s0 - 7)>()[%o] {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i + 3][j - 4][k + 7] if true, exact}}
        affine.store %v, %A[((%i + 3) * symbol(%m) + %j - 4) * symbol(%o) + %k + 7] : memref<?xf64>
      }
    }
  }
  return
}

func.func @integer_offsets_outside(%n: index, %m: index, %o: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %o {
        // expected-remark @below {{has an array that is not delinearized: requires sizes under which every index is affine and can be within them, but there are none}}
        affine.store %v, %A[((%i + 3) * symbol(%m) + %j - 4) * symbol(%o) + %k + 7] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, multidim_ivs_and_parameteric_offsets_3d: the offsets of whole rows can only be 0.
func.func @parametric_offsets(%n: index, %m: index, %o: index, %p: index, %q: index, %r: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %o {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i + %arg3][j + %arg4][k + %arg5] if 0 <= %arg5 and %arg5 <= 0 and 0 <= %arg4 and %arg4 <= 0, exact}}
        affine.store %v, %A[((%i + symbol(%p)) * symbol(%m) + %j + symbol(%q)) * symbol(%o) + %k + symbol(%r)] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, multidim_only_ivs_3d_cast: sizes of 32 bits.
func.func @cast(%n: i32, %m: i32, %o: i32, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  %0 = arith.index_cast %n : i32 to index
  %1 = arith.index_cast %m : i32 to index
  %2 = arith.index_cast %o : i32 to index
  affine.for %i = 0 to %0 {
    affine.for %j = 0 to %1 {
      affine.for %k = 0 to %2 {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i][j][k] if true, exact}}
        affine.store %v, %A[(%i * symbol(%1) + %j) * symbol(%2) + %k] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, multidim_two_accesses_different_delinearization, in two nests: each has its own shape.
func.func @different(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      // expected-remark @below {{has shape [?][%arg0] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * symbol(%n) + %j] : memref<?xf64>
    }
  }
  return
}

// LLVM, iv_times_constant_in_subscript: `A[i][2 * j]`, with the loops that fit.
func.func @twice(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  %c2 = arith.constant 2 : index
  %size = arith.muli %m, %c2 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %r = arith.muli %i, %size : index
      %t = arith.muli %j, %c2 : index
      %a = arith.addi %r, %t : index
      // expected-remark @below {{has shape [?][2 * %arg1] and subscripts [i][2 * j] if true, exact}}
      memref.store %v, %A[%a] : memref<?xf64>
    }
  }
  return
}

// Polly, multidim_fold_constant_dim: pairs of numbers.
func.func @pairs(%n: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // expected-remark @below {{has shape [?][2 * %arg0] and subscripts [i][2 * j + 1] if true, exact}}
      affine.store %v, %A[(%i * symbol(%n) + %j) * 2 + 1] : memref<?xf64>
    }
  }
  return
}

// Polly, multidim_fortran_2d: indices begin with 1.
func.func @fortran(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      // expected-remark @below {{has shape [?][%arg0] and subscripts [i - 1][j - 1] if true, exact}}
      affine.store %v, %A[(%j - 1) * symbol(%n) + %i - 1] : memref<?xf64>
    }
  }
  return
}

// Like Polly, multidim_param_in_subscript, with a parameter beside an index.
func.func @parameter_in_subscript(%n: index, %m: index, %p: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j + %arg2] if 0 <= %arg2 and %arg2 <= 1, exact}}
      affine.store %v, %A[%i * symbol(%m) + %j + symbol(%p)] : memref<?xf64>
    }
  }
  return
}

// Like Polly, multidim_nested_start_share_parameter: the parameter is a size and an offset.
func.func @shared_parameter(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 20 {
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i + %arg1][j + 3] if 23 <= %arg1, exact}}
      affine.store %v, %A[(%i + symbol(%m)) * symbol(%m) + %j + 3] : memref<?xf64>
    }
  }
  return
}

// Like Polly, multidim_many_references: sizes that are numbers and parameters.
func.func @mixed_sizes(%n: index, %m: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to 4 {
        // expected-remark @below {{has shape [?][%arg1][4] and subscripts [i][j][k] if true, exact}}
        affine.store %v, %A[(%i * symbol(%m) + %j) * 4 + %k] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, fixed_size_array: all sizes are numbers.
func.func @fixed(%A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to 32 {
        // expected-remark @below {{has shape [?][8][32] and subscripts [i][j][k] if true, exact}}
        affine.store %v, %A[%i * 256 + %j * 32 + %k] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, a: every subscript has a factor and an offset. Over the whole sizes they would not be within the array.
func.func @strided_subscripts(%n: index, %m: index, %o: index, %p: index, %q: index, %A: memref<?xi32>) {
  %v = arith.constant 1 : i32
  affine.for %i = 0 to %n {
    affine.for %j = 2 to %p {
      affine.for %k = 0 to %q {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [2 * i + 3][3 * j - 4][5 * k + 7] if 5 * %arg4 + 3 <= %arg2 and 3 * %arg3 <= %arg1 + 6, exact}}
        affine.store %v, %A[((2 * %i + 3) * symbol(%m) + 3 * %j - 4) * symbol(%o) + 5 * %k + 7] : memref<?xi32>
      }
    }
  }
  return
}

// LLVM, himeno_1 and himeno_2, and Polly, multidim_many_references: the loops have the sizes of another array.
func.func @himeno(%rows: i32, %columns: i32, %depth: i32, %m: i32, %o: i32, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %0 = arith.index_cast %rows : i32 to index
  %1 = arith.index_cast %columns : i32 to index
  %2 = arith.index_cast %depth : i32 to index
  %3 = arith.index_cast %m : i32 to index
  %4 = arith.index_cast %o : i32 to index
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%1] {
      affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%2] {
        // expected-remark @below {{has shape [?][%arg3][%arg4] and subscripts [i][j][k] if %arg2 <= %arg4 + 1 and %arg1 <= %arg3 + 1, exact}}
        affine.store %v, %A[(%i * symbol(%3) + %j) * symbol(%4) + %k] : memref<?xf32>
      }
    }
  }
  return
}

// LLVM, multidim_ivs_and_integer_offsets_nts_3d: a size is a sum, and the offset must be within the second summand.
func.func @sum(%n: index, %m: index, %o: index, %p: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 4 to %m {
      affine.for %k = 0 to %o {
        // expected-remark @below {{has shape [?][%arg1][%arg2 + %arg3] and subscripts [i + 3][j - 4][k + 7] if 7 <= %arg3, exact}}
        affine.store %v, %A[((%i + 3) * symbol(%m) + %j - 4) * (symbol(%o) + symbol(%p)) + %k + 7] : memref<?xf64>
      }
    }
  }
  return
}

// LLVM, iv_times_constant_in_subscript: `A[2 * i + b][2 * j]` for j < m is not within rows of m elements. It is
// within rows of 2 * m elements if b is 0.
func.func @twice_with_offset(%n: index, %m: index, %b: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][2 * %arg1] and subscripts [i][2 * j + %arg1 * %arg2] if 0 <= %arg1 * %arg2 and %arg1 * %arg2 <= 1, exact}}
      affine.store %v, %A[(2 * %i + symbol(%b)) * symbol(%m) + 2 * %j] : memref<?xf64>
    }
  }
  return
}

// LLVM, divide_by_one: rows from the last one to the first one. `[j - 1]` is outside of the row for j = 0; LLVM takes it.
func.func @descending(%m: index, %n: index, %A: memref<?xi8>) {
  affine.for %i = 0 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 0 to %n {
      // expected-remark @below {{has an array that is not delinearized: requires sizes under which every index is affine and can be within them, but there are none}}
      %x = affine.load %A[(symbol(%n) - %i + 1) * symbol(%m) + %j - 1] : memref<?xi8>
      affine.store %x, %A[(symbol(%n) - %i) * symbol(%m) + %j] : memref<?xi8>
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to %n {
      // expected-remark @below {{has shape [?][%arg0] and subscripts [%arg1 - i + 1][j - 1], [%arg1 - i][j] if %arg1 <= %arg0, exact}}
      %x = affine.load %A[(symbol(%n) - %i + 1) * symbol(%m) + %j - 1] : memref<?xi8>
      affine.store %x, %A[(symbol(%n) - %i) * symbol(%m) + %j] : memref<?xi8>
    }
  }
  return
}

func.func private @use(memref<?xf64>)

// LLVM, multidim_only_ivs_2d_nested: the size is the variable of a loop around the array and its nest.
func.func @local_array(%a: index, %b: index) {
  %v = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %n = %c1 to %a step %c1 {
    scf.for %m = %c1 to %b step %c1 {
      %s = arith.muli %n, %m : index
      %A = memref.alloc(%s) : memref<?xf64>
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          %0 = arith.muli %i, %m : index
          %1 = arith.addi %0, %j : index
          // expected-remark @below {{has shape [?][s1] and subscripts [i][j] if true, exact}}
          memref.store %v, %A[%1] : memref<?xf64>
        }
      }
      func.call @use(%A) : (memref<?xf64>) -> ()
      memref.dealloc %A : memref<?xf64>
    }
  }
  return
}

// LLVM, wraps: one loop, whose variable has a sum as a factor. LLVM takes rows of m elements.
func.func @one_loop(%n: index, %m: index, %A: memref<?xi8>) {
  %v = arith.constant 0 : i8
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?][%arg1 + 21] and subscripts [2 * i][0] if 0 <= %arg1 + 20, exact}}
    affine.store %v, %A[%i * (2 * symbol(%m) + 42)] : memref<?xi8>
  }
  return
}

// Polly, multidim_fortran_2d and multidim_fortran_2d_params: the size is a maximum with 0, and the indices have offsets.
func.func @maximum(%n: index, %m: index, %p: index, %q: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %size = arith.maxsi %m, %c0 : index
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      // expected-remark @below {{has shape [?][s3] and subscripts [i + %arg3 - 1][j + %arg2 - 1] if 0 <= %arg2 and %arg1 + %arg2 <= s3, exact}}
      affine.store %v, %A[(%i + symbol(%q)) * symbol(%size) - symbol(%size) - 1 + %j + symbol(%p)] : memref<?xf64>
    }
  }
  return
}

// Polly, multidim_nested_start_share_parameter: two accesses with different offsets.
func.func @two_offsets(%n: index, %m: index, %o: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 13)>()[%n] {
    affine.for %j = 14 to %m {
      affine.for %k = 0 to affine_map<()[s0] -> (s0 - 17)>()[%o] {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i + 3][j - 4][k + 7], [i + 13][j - 14][k + 17] if true, exact}}
        affine.store %v, %A[((%i + 3) * symbol(%m) + %j - 4) * symbol(%o) + %k + 7] : memref<?xf64>
        affine.store %v, %A[((%i + 13) * symbol(%m) + %j - 14) * symbol(%o) + %k + 17] : memref<?xf64>
      }
    }
  }
  return
}

// Polly, multidim_only_ivs_3d_reverse: the order of the loops is not that of the subscripts.
func.func @order(%n: index, %m: index, %o: index, %A: memref<?xf64>) {
  %v = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %o {
      affine.for %k = 0 to %m {
        // expected-remark @below {{has shape [?][%arg1][%arg2] and subscripts [i][k][j] if true, exact}}
        affine.store %v, %A[(%i * symbol(%m) + %k) * symbol(%o) + %j] : memref<?xf64>
      }
    }
  }
  return
}

// Polly, multidim_param_in_subscript-2: two reversed subscripts.
func.func @reversed_twice(%n: index, %m: index, %A: memref<?xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %m {
        // expected-remark @below {{has shape [?][%arg0][%arg1] and subscripts [i][%arg0 - j - 1][%arg1 - k - 1], [i][j][k] if true, exact}}
        %0 = affine.load %A[(%i * symbol(%n) + symbol(%n) - %j - 1) * symbol(%m) + symbol(%m) - %k - 1] : memref<?xf32>
        affine.store %0, %A[(%i * symbol(%n) + %j) * symbol(%m) + %k] : memref<?xf32>
      }
    }
  }
  return
}

// LLVM, gcd_multiply_expr and constant_functions_multi_dim: parameters are multiplied, and loop variables are not.
func.func @products(%n: index, %p: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?] and subscripts [i + %arg0 * %arg1] if true, exact}}
    affine.store %v, %A[symbol(%p) * symbol(%n) + %i] : memref<?xf32>
  }
  return
}

// LLVM, constant_functions_multi_dim: an element before the first row is none of the array, so there are two versions.
func.func @column(%n: index, %q: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    // expected-remark @below {{has shape [?][%arg0] and subscripts [i][%arg1] if 0 <= %arg1 and %arg1 + 1 <= %arg0, exact}}
    // expected-remark @below {{has shape [?][%arg0] and subscripts [i + 1][%arg1 - %arg0] if %arg0 <= %arg1 and %arg1 + 1 <= 2 * %arg0, exact}}
    affine.store %v, %A[%i * symbol(%n) + symbol(%q)] : memref<?xf32>
  }
  return
}
