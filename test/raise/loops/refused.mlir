// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics
// RUN: mdh-opt %s --mdh-raise --split-input-file 2>/dev/null | FileCheck %s

// The iterations depend on each other.
// CHECK-LABEL: @seidel
// CHECK:       affine.store
func.func @seidel(%A: memref<20xf32>) {
  // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<20xf32> (an argument) is written at distance (1) from the iteration that reads it}}
  affine.for %i = 1 to 19 {
    %a = affine.load %A[%i - 1] : memref<20xf32>
    %b = affine.load %A[%i + 1] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %A[%i] : memref<20xf32>
  }
  return
}

// -----

// The time loop stays, the loops in it are raised.
// CHECK-LABEL: @jacobi
// CHECK:       affine.for
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @jacobi(%A: memref<20xf32> {llvm.noalias}, %B: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<20xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %t = 0 to 5 {
    affine.for %i = 1 to 19 {
      %a = affine.load %A[%i - 1] : memref<20xf32>
      %b = affine.load %A[%i + 1] : memref<20xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %B[%i] : memref<20xf32>
    }
    affine.for %i = 1 to 19 {
      %b = affine.load %B[%i] : memref<20xf32>
      affine.store %b, %A[%i] : memref<20xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: @ahead
// CHECK-NOT:   mdh.hom.md_hom
func.func @ahead(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}, %z: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{but an element of memref<20xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %i = 0 to 19 {
    %a = affine.load %x[%i] : memref<20xf32>
    affine.store %a, %y[%i] : memref<20xf32>
    %b = affine.load %y[%i + 1] : memref<20xf32>
    affine.store %b, %z[%i] : memref<20xf32>
  }
  return
}

// -----

func.func @aliases(%x: memref<20xf32>, %y: memref<20xf32>) {
  // expected-remark @below {{is not raised: requires memrefs that do not share memory, but output 1 may share that of another operand}}
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    affine.store %a, %y[%i] : memref<20xf32>
  }
  return
}

// -----

func.func @conditional(%x: memref<20xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{is not raised: requires stores without conditions}}
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %c = arith.cmpf olt, %a, %zero : f32
    scf.if %c {
      affine.store %zero, %x[%i] : memref<20xf32>
    }
  }
  return
}

// -----

func.func @last(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires a region that combines values with output 1, but it does not read it}}
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    affine.store %a, %y[3] : memref<20xf32>
  }
  return
}

// -----

func.func @modulo(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires linear indices, but affine.load has others}}
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i mod 3] : memref<20xf32>
    affine.store %a, %y[%i] : memref<20xf32>
  }
  return
}

// -----

func.func @histogram(%k: memref<20xindex>, %y: memref<20xf32> {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{is not raised: requires linear indices, but one is the result of affine.load}}
  affine.for %i = 0 to 20 {
    %b = affine.load %k[%i] : memref<20xindex>
    %a = memref.load %y[%b] : memref<20xf32>
    %s = arith.addf %a, %one : f32
    memref.store %s, %y[%b] : memref<20xf32>
  }
  return
}

// -----

// The bound of the inner loop depends on the outer one, which stays.
// CHECK-LABEL: @triangular
// CHECK:       affine.for
// CHECK:       mdh.hom.md_hom
func.func @triangular(%A: memref<9x9xf32>, %y: memref<9xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires bounds that do not depend on another loop of the nest}}
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%i, %j] : memref<9x9xf32>
      %c = affine.load %y[%i] : memref<9xf32>
      %t = arith.addf %c, %a : f32
      affine.store %t, %y[%i] : memref<9xf32>
    }
  }
  return
}

// -----

func.func @outside(%x: memref<20xf32>, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires indices in the memref or tensor, but index 1 is from 1 to 20 and its size is 20}}
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i + 1] : memref<20xf32>
    affine.store %a, %y[%i] : memref<20xf32>
  }
  return
}

// -----

func.func @swapped(%x: memref<20xf32>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{is not raised: requires that outputs 1, 2 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.addf combines them}}
  %r:2 = affine.for %i = 0 to 20 iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
    %v = affine.load %x[%i] : memref<20xf32>
    %s = arith.addf %a, %v : f32
    affine.yield %b, %s : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// -----

// Not a scan: the element before is not combined by an associative operation.
// CHECK-LABEL: @recurrence
// CHECK:       affine.store
func.func @recurrence(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}, %c: f32) {
  // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines values of types (f32, f32) with them}}
  affine.for %i = 1 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %y[%i - 1] : memref<20xf32>
    %p = arith.mulf %b, %c : f32
    %s = arith.addf %p, %a : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// -----

// CHECK-LABEL: @two_before
// CHECK:       affine.store
func.func @two_before(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{an element of memref<20xf32> (an argument) is written at distance (-2) from the iteration that reads it}}
  affine.for %i = 2 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %y[%i - 2] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// -----

// The element after is read before it is written.
// CHECK-LABEL: @ahead_of_the_loop
// CHECK:       affine.store
func.func @ahead_of_the_loop(%x: memref<20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{an element of memref<20xf32> (an argument) is written at distance (1) from the iteration that reads it}}
  affine.for %i = 0 to 19 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %y[%i + 1] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// -----

// Sums of rectangles: two loops carry, and a row is a scan, because the row before it is another one.
// CHECK-LABEL: @rectangles
// CHECK:       affine.for
// CHECK:       combine [#mdh.ps<[add]>]
func.func @rectangles(%y: memref<20x20xf32>) {
  // expected-remark @below {{an element of memref<20x20xf32> (an argument) is written at distance (-1, 0) from the iteration that reads it}}
  affine.for %i = 1 to 20 {
    affine.for %j = 1 to 20 {
      %a = affine.load %y[%i - 1, %j] : memref<20x20xf32>
      %b = affine.load %y[%i, %j - 1] : memref<20x20xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %y[%i, %j] : memref<20x20xf32>
    }
  }
  return
}

// -----

// The last of several sums stays.
// CHECK-LABEL: @overwritten
// CHECK:       affine.store
func.func @overwritten(%A: memref<20x20xf32> {llvm.noalias}, %y: memref<20xf32> {llvm.noalias}) {
  // expected-remark @below {{an element of memref<20xf32> (an argument) is written at distance (-1, ?) from the iteration that reads it}}
  affine.for %i = 1 to 20 {
    // expected-remark @below {{requires a region that combines values with output 1, but it does not read it}}
    affine.for %j = 0 to 20 {
      %a = affine.load %A[%i, %j] : memref<20x20xf32>
      %b = affine.load %y[%i - 1] : memref<20xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %y[%i] : memref<20xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: @before_the_memref
// CHECK:       affine.store
func.func @before_the_memref(%y: memref<20xf32>) {
  // expected-remark @below {{is not raised: requires indices in the memref or tensor, but index 1 is from -1 to -1 and its size is 20}}
  affine.for %i = 0 to 20 {
    %a = affine.load %y[%i] : memref<20xf32>
    %b = affine.load %y[%i - 1] : memref<20xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %y[%i] : memref<20xf32>
  }
  return
}

// -----

// A running mean of squares and a mean depend on each other by arithmetic.
func.func @arithmetic(%x: memref<20xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{is not raised: requires that outputs 1, 2 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.mulf combines them}}
  %r:2 = affine.for %i = 0 to 20 iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
    %v = affine.load %x[%i] : memref<20xf32>
    %p = arith.mulf %b, %v : f32
    %s = arith.addf %a, %p : f32
    %t = arith.subf %v, %a : f32
    affine.yield %s, %t : f32, f32
  }
  return %r#0 : f32
}

// -----

// One result is a tensor, the other one a number.
func.func @mixed(%x: tensor<5x20xf32>) -> (f32, tensor<5xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5xi32>
  // expected-remark @below {{is not raised: requires that values that depend on each other are stored to tensors only, or to none}}
  %a:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero, %t = %e) -> (f32, tensor<5xi32>) {
    %r:2 = scf.for %i = %c0 to %c20 step %c1 iter_args(%m = %least, %at = %none) -> (f32, i32) {
      %v = tensor.extract %x[%k, %i] : tensor<5x20xf32>
      %j = arith.index_cast %i : index to i32
      %c = arith.cmpf ogt, %v, %m : f32
      %n = arith.select %c, %v, %m : f32
      %o = arith.select %c, %j, %at : i32
      scf.yield %n, %o : f32, i32
    }
    %n = tensor.insert %r#1 into %t[%k] : tensor<5xi32>
    %o = arith.addf %s, %r#0 : f32
    scf.yield %o, %n : f32, tensor<5xi32>
  }
  return %a#0, %a#1 : f32, tensor<5xi32>
}
