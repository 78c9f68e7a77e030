// Index expressions of the tests of LLVM (llvm/test/Analysis/Delinearization) and of Polly (ScopInfo/multidim_*), written
// anew.
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | FileCheck %s
// CHECK-COUNT-11: scf.if

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

// LLVM, multidim_two_accesses_different_delinearization: each nest has its own shape.
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

// LLVM, iv_times_constant_in_second_dimension: `A[i][2 * j]`, with the loops that fit.
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

// Polly, multidim_fortran_2d_params: indices begin with 1.
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

// Polly, multidim_param_in_subscript: a parameter beside an index.
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

// Polly, multidim_nested_start_share_parameter: the parameter is a size and an offset.
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

// Polly, multidim_many_references: sizes that are numbers and parameters.
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
