// Each version has the results of the reference evaluator: for parameters under which the condition holds, and for others.
// RUN: %python %S/../../raise/Inputs/arrays.py %t 2000:f32 12:f32 20x40:f32
// RUN: mdh run %s --function cube --input %t0.npy --input 9 --input 9 --input 0 --input 3 --input 0 --input 9 --input 6 --input 9 --check
// RUN: mdh run %s --function cube --input %t0.npy --input 9 --input 9 --input 0 --input 6 --input 0 --input 9 --input 6 --input 9 --check
// RUN: mdh run %s --function cube --input %t0.npy --input 9 --input 9 --input 0 --input 3 --input 0 --input 9 --input 6 --input 9 --engine reference | FileCheck %s
// RUN: mdh run %s --function cube --input %t0.npy --input 9 --input 9 --input 0 --input 0 --input 0 --input 0 --input 6 --input 9 --check
// RUN: mdh run %s --function shifted --input %t0.npy --input 9 --input 20 --input 5 --check
// RUN: mdh run %s --function shifted --input %t0.npy --input 9 --input 20 --input -5 --check
// RUN: mdh run %s --function shifted --input %t0.npy --input 9 --input 20 --input 25 --check
// RUN: mdh run %s --function shifted --input %t0.npy --input 9 --input 20 --input 45 --check
// RUN: mdh run %s --function multiples --input %t0.npy --input 9 --input 0 --check
// RUN: mdh run %s --function multiples --input %t0.npy --input 1 --input 7 --check
// RUN: mdh run %s --function wraps --input %t0.npy --input 4611686018427387904 --check
// RUN: mdh run %s --function wraps --input %t0.npy --input -9223372036854775808 --check
// RUN: mdh run %s --function wraps --input %t0.npy --input 100 --check
// RUN: mdh run %s --function short --input %t0.npy --input 9 --input 11 --check
// RUN: mdh run %s --function neighbors --input %t1.npy --input 5 --check
// CHECK: argument 1: 2000xf32
//
// Blocks of a matrix: below each other, in the same rows, and with common elements.
// RUN: mdh run %s --function blocks --input %t2.npy --input 9 --input 20 --input 9 --input 0 --check
// RUN: mdh run %s --function blocks --input %t2.npy --input 9 --input 20 --input 0 --input 20 --check
// RUN: mdh run %s --function blocks --input %t2.npy --input 9 --input 20 --input 1 --input 1 --check
// RUN: mdh run %s --function blocks --input %t2.npy --input 0 --input 20 --input 1 --input 1 --check
// RUN: mdh run %s --function columns --input %t2.npy --input 9 --input 19 --check
// RUN: mdh run %s --function chain --input %t1.npy --input %t1.npy --input 11 --check
// RUN: mdh run %s --function repeated --input %t2.npy --input %t2.npy --input 9 --input 2 --check
// RUN: mdh run %s --function repeated --input %t2.npy --input %t2.npy --input 9 --input 0 --check
// RUN: mdh-opt %s --mdh-delinearize --mdh-raise | FileCheck %s --check-prefix=RAISED
// RUN: mdh-opt %s --mdh-delinearize > %t.once.mlir
// RUN: mdh-opt %t.once.mlir --mdh-delinearize | diff %t.once.mlir -
// RAISED-LABEL: @blocks
// RAISED:       scf.if
// RAISED:       mdh.hom.md_hom
// RAISED-LABEL: @repeated
// RAISED:       scf.if
// RAISED:       mdh.hom.md_hom
// RAISED-LABEL: @columns
// RAISED:       scf.if
// RAISED:       mdh.hom.md_hom
//
// Memory beyond the array: the original version runs, in which an access is found to be outside.
// RUN: not mdh run %s --function shifted --input %t1.npy --input 9 --input 20 --input 5 --check 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error
//
// RUN: not mdh run %s --function disjoint --input %t0.npy --input 5 --isolated 2>&1 | FileCheck %s --check-prefix=ISOLATED
// ISOLATED: --isolated refuses

func.func @cube(%A: memref<?xf32>, %n1: index, %n2: index, %o0: index, %o1: index, %o2: index, %s0: index, %s1: index, %s2: index) {
  %v = arith.constant 2.0 : f32
  affine.for %i = 0 to %s0 {
    affine.for %j = 0 to %s1 {
      affine.for %k = 0 to %s2 {
        %0 = affine.load %A[((%i + symbol(%o0)) * symbol(%n1) + %j + symbol(%o1)) * symbol(%n2) + %k + symbol(%o2)] : memref<?xf32>
        %1 = arith.addf %0, %v : f32
        affine.store %1, %A[((%i + symbol(%o0)) * symbol(%n1) + %j + symbol(%o1)) * symbol(%n2) + %k + symbol(%o2)] : memref<?xf32>
      }
    }
  }
  return
}

func.func @shifted(%A: memref<?xf32>, %n: index, %m: index, %p: index) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i * symbol(%m) + symbol(%m) + symbol(%p)] : memref<?xf32>
  }
  return
}

// Elements are written again if the size is 0: the condition is false.
func.func @multiples(%A: memref<?xf32>, %n: index, %k: index) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i * symbol(%k)] : memref<?xf32>
    affine.store %v, %A[(%i + 1) * symbol(%k)] : memref<?xf32>
  }
  return
}

// 4 * 2^62 is 0 in 64 bits: all rows are one, which is why an array has at most 2^62 bytes.
func.func @wraps(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to 12 step 4 {
    affine.for %j = 0 to 8 {
      %x = affine.load %A[%i * symbol(%n) + %j] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %A[%i * symbol(%n) + %j] : memref<?xf32>
    }
  }
  return
}

// Sums of 8 bits wrap around: 9 * 11 fits, and 1 more than 127 does not.
func.func @short(%A: memref<?xf32>, %n: i8, %m: i8) {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.index_cast %n : i8 to index
  %columns = arith.index_cast %m : i8 to index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %0 = arith.index_cast %i : index to i8
      %1 = arith.index_cast %j : index to i8
      %2 = arith.muli %0, %m : i8
      %3 = arith.addi %2, %1 : i8
      %4 = arith.index_castui %3 : i8 to index
      memref.store %v, %A[%4] : memref<?xf32>
    }
  }
  return
}

// Two views of the same memory.
func.func @neighbors(%A: memref<?xf32>, %n: index) {
  %x = memref.subview %A[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %y = memref.subview %A[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32, strided<[1]>>
    affine.store %0, %y[%i] : memref<?xf32, strided<[1], offset: 1>>
  }
  return
}

func.func @blocks(%A: memref<?x?xf32>, %n: index, %m: index, %r: index, %c: index) {
  %one = arith.constant 1.0 : f32
  %x = memref.subview %A[0, 0] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %y = memref.subview %A[%r, %c] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1]>>
      %1 = arith.addf %0, %one : f32
      affine.store %1, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

// Two views of an array that begin with the same element are not apart, although both are apart from another array.
func.func @chain(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [12], strides: [1] : memref<?xf32> to memref<12xf32>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf32>
    %1 = arith.addf %0, %one : f32
    affine.store %1, %v[%i + 1] : memref<12xf32>
    affine.store %0, %B[%i] : memref<?xf32>
  }
  return
}

// A stride of 0: all rows of the output are one.
func.func @repeated(%x: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index, %s: index) {
  %y = memref.subview %B[0, 0] [%n, 7] [%s, 1] : memref<?x?xf32> to memref<?x7xf32, strided<[?, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 7 {
      %0 = affine.load %x[%i, %j] : memref<?x?xf32>
      affine.store %0, %y[%i, %j] : memref<?x7xf32, strided<[?, 1]>>
    }
  }
  return
}

// Every second column.
func.func @columns(%A: memref<?x?xf32>, %n: index, %m: index) {
  %x = memref.subview %A[0, 0] [6, %m] [1, 2] : memref<?x?xf32> to memref<6x?xf32, strided<[?, 2]>>
  %y = memref.subview %A[%n, 0] [6, %m] [1, 1] : memref<?x?xf32> to memref<6x?xf32, strided<[?, 1], offset: ?>>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to %m {
      %0 = affine.load %x[%i, %j] : memref<6x?xf32, strided<[?, 2]>>
      affine.store %0, %y[%i, %j] : memref<6x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @disjoint(%A: memref<?xf32>, %n: index) {
  %x = memref.cast %A {mdh.disjoint = 1} : memref<?xf32> to memref<?xf32>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    affine.store %0, %A[%i] : memref<?xf32>
  }
  return
}
