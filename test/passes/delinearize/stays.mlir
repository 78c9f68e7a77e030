// Arrays that stay as they are, with the reason.
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | FileCheck %s
// CHECK-NOT: scf.if
// CHECK-NOT: memref.reinterpret_cast

// An index that is loaded.
func.func @loaded(%n: index, %A: memref<?xf32>, %I: memref<?xindex>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    %k = affine.load %I[%i] : memref<?xindex>
    %r = arith.muli %k, %n : index
    %1 = arith.addi %r, %i : index
    // expected-remark @below {{has an array that is not delinearized: requires indices that are polynomials of loop variables and of values from outside of the loops, but one depends on affine.load}}
    memref.store %v, %A[%1] : memref<?xf32>
  }
  return
}

// A quotient.
func.func @triangle(%n: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %t = arith.constant 2 : index
  scf.for %i = %z to %n step %o {
    %u = arith.addi %i, %o : index
    scf.for %j = %z to %u step %o {
      %0 = arith.muli %i, %u : index
      %1 = arith.divui %0, %t : index
      %2 = arith.addi %1, %j : index
      // expected-remark @below {{has an array that is not delinearized: requires indices that are polynomials of loop variables and of values from outside of the loops, but one depends on arith.divui}}
      memref.store %v, %A[%2] : memref<?xf32>
    }
  }
  return
}

// A product of two loop variables.
func.func @product(%n: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = arith.muli %i, %j : index
      // expected-remark @below {{has an array that is not delinearized: requires indices without products of loop variables}}
      memref.store %v, %A[%0] : memref<?xf32>
    }
  }
  return
}

// Other accesses of the same array have no polynomial.
func.func @mixed(%n: index, %m: index, %A: memref<?xf32>, %I: memref<?xindex>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has an array that is not delinearized: requires indices that are polynomials of loop variables and of values from outside of the loops, but one depends on affine.load}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf32>
      %k = affine.load %I[%j] : memref<?xindex>
      memref.store %v, %A[%k] : memref<?xf32>
    }
  }
  return
}

// An index with a remainder.
func.func @remainder(%n: index, %m: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has an array that is not delinearized: requires maps without mod, floordiv and ceildiv}}
      affine.store %v, %A[%i * symbol(%m) + %j mod 4] : memref<?xf32>
    }
  }
  return
}

// A size that is a loop variable.
func.func @inner_size(%n: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %m = 1 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = arith.muli %i, %m : index
        %1 = arith.addi %0, %j : index
        // expected-remark @below {{has an array that is not delinearized: requires indices without products of loop variables}}
        memref.store %v, %A[%1] : memref<?xf32>
      }
    }
  }
  return
}

// Two accesses without a common shape.
func.func @no_common(%n: index, %m: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has an array that is not delinearized: requires sizes under which every index is affine and can be within them, but there are none}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf32>
      affine.store %v, %A[%j * symbol(%n) + %i] : memref<?xf32>
    }
  }
  return
}

// Elements that are apart.
func.func @strides(%n: index, %m: index, %A: memref<?xf32, strided<[2]>>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has an array that is not delinearized: requires a memref with stride 1 in the default memory, but has memref<?xf32, strided<[2]>>}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf32, strided<[2]>>
    }
  }
  return
}

// Linear indices need no other shape, and have no remark.
func.func @linear(%A: memref<64xf32>) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to 16 {
    affine.store %v, %A[2 * %i] : memref<64xf32>
    affine.store %v, %A[2 * %i + 1] : memref<64xf32>
    affine.for %k = 0 to 3 {
      affine.store %v, %A[%i + %k] : memref<64xf32>
    }
  }
  return
}
