// What is inserted into a tensor has the sizes of the slice, which lies within the tensor; several dynamic sizes along an
// axis multiply to its size, without an overflow.
// RUN: %python %root/test/raise/Inputs/arrays.py %t 4 6 2x3 0 2
// RUN: mdh run %s --function inserted --input %t0.npy --input %t1.npy --input 2 --input 4 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function inserted --input %t3.npy --input %t3.npy --input 9 --input 0 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function inserted --input %t0.npy --input %t1.npy --input 3 --input 4 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not mdh run %s --function inserted --input %t0.npy --input %t1.npy --input=-1 --input 4 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not mdh run %s --function inserted --input %t0.npy --input %t1.npy --input 0 --input 3 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: mdh run %s --function strided --input %t4.npy --input %t2.npy --input 2 --check | FileCheck %s --check-prefix=AGREES
// RUN: bash -c 'for stride in 3 0 -1 9223372036854775807; do not mdh run %s --function strided --input %t4.npy --input %t2.npy --input $stride; done' 2>&1 | FileCheck %s --check-prefix=STRIDED
// RUN: mdh run %s --function in_loop --input %t1.npy --input %t2.npy --input 3 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function in_loop --input %t1.npy --input %t2.npy --input 4 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: mdh run %s --function expanded --input %t1.npy --input 2 --input 3 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function expanded --input %t3.npy --input 0 --input 3 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function expanded --input %t1.npy --input 4 --input 2 2>&1 | FileCheck %s --check-prefix=EXPANDED
// RUN: not mdh run %s --function expanded --input %t1.npy --input=-2 --input=-3 2>&1 | FileCheck %s --check-prefix=EXPANDED
// RUN: not mdh run %s --function expanded --input %t3.npy --input 4 --input 4611686018427387904 2>&1 | FileCheck %s --check-prefix=EXPANDED
// RUN: not mdh run %s --function expanded --input %t3.npy --input 4 --input 4611686018427387904 --engine reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: mdh run %s --function at_the_end --input 6 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function empty --input %t3.npy --input %t1.npy --engine reference 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not mdh run %s --function negative --input 6 --input 4 --input=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mdh run %s --function negative --input 6 --input 4 --input=-2 --engine reference 2>&1 | FileCheck %s --check-prefix=NEGATIVE-REFERENCE
// RUN: mdh run %s --function negative --input 6 --input 4 --input 2 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function negative_tensor --input %t1.npy --input 4 --input=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE-TENSOR
// RUN: mdh run %s --function negative_tensor --input %t1.npy --input 4 --input 2 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function negative_in_loop --input 6 --input=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE-LOOP
// RUN: mdh run %s --function negative_in_loop --input 6 --input 2 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function collapsed --input %t2.npy --input 1 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function far --input %t1.npy --input=-6917529027641081856 --input 4611686018427387904 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: mdh run %s --function far --input %t1.npy --input 4611686018427387904 --input=-6917529027641081856 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function far --input %t1.npy --input 2 --input 5 --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

func.func @inserted(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  // OUTSIDE: checks-slices.mlir:[[#@LINE+2]]:8: error: 'tensor.insert_slice' fails: requires a slice within the tensor in axis 1
  // OTHER: checks-slices.mlir:[[#@LINE+1]]:8: error: 'tensor.insert_slice' fails: requires the size of axis 1 of what is inserted
  %r = tensor.insert_slice %x into %y[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// The dimension of static size is removed.
func.func @strided(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %s: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // STRIDED-COUNT-4: checks-slices.mlir:{{.*}}:8: error: 'tensor.insert_slice' fails: requires a slice within the tensor in axis 2
  %r = tensor.insert_slice %x into %y[1, 0] [1, %n] [1, %s] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A loop that stays, because an iteration reads what the one before has inserted.
func.func @in_loop(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %row = tensor.extract_slice %t[%i] [3] [1] : tensor<?xf32> to tensor<3xf32>
    %sum = arith.addf %row, %row : tensor<3xf32>
    // LOOP: checks-slices.mlir:[[#@LINE+1]]:13: error: 'tensor.insert_slice' fails: requires a slice within the tensor in axis 1
    %next = tensor.insert_slice %sum into %t[%n] [3] [1] : tensor<3xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @expanded(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  // EXPANDED: checks-slices.mlir:[[#@LINE+2]]:8: error: 'tensor.expand_shape' fails: requires sizes of at least 0 whose product is the size of axis 1
  // REFERENCE: checks-slices.mlir:[[#@LINE+1]]:8: error: requires as many elements as a buffer of shape [0]
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// No iteration runs, and the elements that none writes begin at the end.
func.func @at_the_end(%n: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0 : i32
  %m = memref.alloc(%c6) : memref<?xi32>
  linalg.fill ins(%zero : i32) outs(%m : memref<?xi32>)
  scf.for %i = %c6 to %n step %c1 {
    %e = arith.index_cast %i : index to i32
    memref.store %e, %m[%i] : memref<?xi32>
  }
  return %m : memref<?xi32>
}

// Operands have the same sizes, also if one of them is empty.
func.func @empty(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // EMPTY: checks-slices.mlir:[[#@LINE+1]]:8: error: requires size 0 along iterator 1, but axis 1 of operand 2 has size 6
  %r = linalg.map { arith.negf } ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>)
  return %r : tensor<?xf32>
}

func.func @negative(%n: index, %o: index, %size: index) -> memref<?xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%zero : i32) outs(%m : memref<?xi32>)
  // NEGATIVE: checks-slices.mlir:[[#@LINE+2]]:11: error: 'memref.subview' fails: requires a size of at least 0 in axis 1
  // NEGATIVE-REFERENCE: checks-slices.mlir:[[#@LINE+1]]:11: error: size 1 is -2
  %part = memref.subview %m[%o] [%size] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
  linalg.fill ins(%one : i32) outs(%part : memref<?xi32, strided<[1], offset: ?>>)
  return %m : memref<?xi32>
}

func.func @negative_tensor(%x: tensor<?xf32>, %o: index, %size: index) -> index {
  %c0 = arith.constant 0 : index
  // NEGATIVE-TENSOR: checks-slices.mlir:[[#@LINE+1]]:11: error: 'tensor.extract_slice' fails: requires a size of at least 0 in axis 1
  %part = tensor.extract_slice %x[%o] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  %n = tensor.dim %part, %c0 : tensor<?xf32>
  return %n : index
}

func.func @negative_in_loop(%n: index, %size: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %m = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%zero : i32) outs(%m : memref<?xi32>)
  scf.for %i = %c1 to %c3 step %c1 {
    %e = arith.index_cast %i : index to i32
    // NEGATIVE-LOOP: checks-slices.mlir:[[#@LINE+1]]:13: error: 'memref.subview' fails: requires a size of at least 0 in axis 1
    %part = memref.subview %m[%i] [%size] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    linalg.fill ins(%e : i32) outs(%part : memref<?xi32, strided<[1], offset: ?>>)
  }
  return %m : memref<?xi32>
}

// Canonicalization finds the size 0 of an axis of a slice, beside a dynamic one.
func.func @collapsed(%x: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %part = tensor.extract_slice %x[0, %n] [%n, %c0] [2, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %r = tensor.collapse_shape %part [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// The difference of the bounds overflows.
func.func @far(%x: tensor<?xf32>, %lower: index, %upper: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  // FAR: checks-slices.mlir:[[#@LINE+1]]:{{.*}}: error: 'mdh.hom.md_hom' fails: requires an extent of at least 0 in dimension 1
  %r = scf.for %i = %lower to %upper step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %e = tensor.extract %x[%i] : tensor<?xf32>
    %d = arith.addf %e, %e : f32
    %next = tensor.insert %d into %t[%i] : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
