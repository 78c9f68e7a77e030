// Loops are raised as they are written, and what they access is checked: an index outside of a memref ends the run with one error at the
// access, where it is read. Loops that do not run access nothing.
// RUN: not mdh run %s --function shifted --input 1 --input 0 --input 8 --input 1 2>&1 | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: checks-of-loops.mlir:[[#@LINE+34]]:{{[0-9]+}}: error: 'memref.load' fails: out-of-bounds access{{$}}
// RUN: not mdh run %s --function shifted --input 1 --input 0 --input 9 --input 0 2>&1 | FileCheck %s --check-prefix=STORED
// STORED: checks-of-loops.mlir:[[#@LINE+32]]:{{[0-9]+}}: error: 'memref.load' fails: out-of-bounds access{{$}}
// RUN: not mdh run %s --function shifted --input 1 --input 0 --input 2 --input -1 2>&1 | FileCheck %s --check-prefix=SHIFTED-BELOW
// SHIFTED-BELOW: error: 'memref.load' fails: out-of-bounds access{{$}}
// RUN: mdh run %s --function shifted --input 1 --input 0 --input 7 --input 1 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function shifted --input 1 --input 0 --input 0 --input 99 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function shifted --input 1 --input 0 --input -5 --input -9 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function nested --input 1 --input 0 --input 0 --input 99 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function nested --input 1 --input 0 --input 8 --input 4 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: not mdh run %s --function nested --input 1 --input 0 --input 8 --input 5 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: 'affine.load' fails: out-of-bounds access{{$}}
// RUN: mdh run %s --function in_part --input 1 --input 0 --input 8 --check | FileCheck %s --check-prefix=RIGHT
// RUN: not mdh run %s --function in_part --input 1 --input 0 --input 3 2>&1 | FileCheck %s --check-prefix=IN-PART
// IN-PART: error: 'mdh.hom.md_hom' fails: out-of-bounds access of input 1{{$}}
// RUN: mdh run %s --function no_slice --input 1 --input 0 --input 99 --check | FileCheck %s --check-prefix=RIGHT
// RUN: not mdh run %s --function on_tensors --input 1 --input 0 --input 8 --input 1 2>&1 | FileCheck %s --check-prefix=ON-TENSORS
// ON-TENSORS: checks-of-loops.mlir:{{[0-9]+}}:10: error: 'tensor.extract' fails: out-of-bounds access{{$}}
// RUN: not mdh run %s --function on_tensors --input 1 --input 0 --input 9 --input 0 2>&1 | FileCheck %s --check-prefix=ON-TENSORS
// RUN: not mdh run %s --function on_tensors --input 1 --input 0 --input 5 --input 2 2>&1 | FileCheck %s --check-prefix=INSERTED
// INSERTED: checks-of-loops.mlir:{{[0-9]+}}:10: error: 'tensor.insert' fails: out-of-bounds access{{$}}
// RUN: mdh run %s --function on_tensors --input 1 --input 0 --input 4 --input 2 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function on_tensors --input 1 --input 0 --input 0 --input 99 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %s --function on_tensors --input 1 --input 0 --input -5 --input -9 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: not mdh run %s --function in_calls --input 1 --input 0 --input 9 2>&1 | FileCheck %s --check-prefix=IN-CALLS
// IN-CALLS: error: 'tensor.extract' fails: out-of-bounds access{{$}}
// RUN: mdh run %s --function in_calls --input 1 --input 0 --input 8 --raise required --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: agrees with the reference evaluator

func.func @shifted(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %k : index
    %a = memref.load %x[%j] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}

func.func @nested(%x: memref<4xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %x[%j] : memref<4xf32>
      %b = affine.load %y[%i] : memref<8xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %y[%i] : memref<8xf32>
    }
  }
  return
}

// The sizes of the loop are static, and those of the memref are not.
func.func @in_part(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %n: index) {
  %part = memref.subview %x[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  affine.for %i = 0 to 8 {
    %a = affine.load %part[%i] : memref<?xf32, strided<[1]>>
    %b = arith.addf %a, %a : f32
    affine.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// A slice of no elements may begin anywhere.
func.func @no_slice(%x: tensor<8x8xf32>, %n: index, %k: index) -> tensor<?x?xf32> {
  %part = tensor.extract_slice %x[%k, 0] [%n, 8] [1, 1] : tensor<8x8xf32> to tensor<?x8xf32>
  %y = tensor.cast %part : tensor<?x8xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @on_tensors(%x: tensor<8xf32>, %y: tensor<6xf32>, %n: index, %k: index) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %y) -> (tensor<6xf32>) {
    %j = arith.addi %i, %k : index
    %a = tensor.extract %x[%j] : tensor<8xf32>
    %b = arith.addf %a, %a : f32
    %u = tensor.insert %b into %t[%j] : tensor<6xf32>
    scf.yield %u : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// A function that is called in a loop, as JAX calls it, is checked after it is inlined.
func.func private @element(%x: tensor<8xf32>, %i: index) -> tensor<f32> {
  %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %e = tensor.collapse_shape %s [] : tensor<1xf32> into tensor<f32>
  return %e : tensor<f32>
}
func.func @in_calls(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %y) -> (tensor<8xf32>) {
    %e = func.call @element(%x, %i) : (tensor<8xf32>, index) -> tensor<f32>
    %v = tensor.extract %e[] : tensor<f32>
    %u = tensor.insert %v into %t[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
