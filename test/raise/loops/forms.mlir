// Nests of all kinds of loops, types and accesses.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 8x9 9x7 8x7 9 8 8x9@20 9@20 4x5x6 9:f64 9:i8@100 12x9
// RUN: %against-numpy mdh run %s --function forall_product --input %t0.npy --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function tensor_product --input %t0.npy --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function integers --input %t5.npy --input %t6.npy --raise required --check
// RUN: %against-numpy mdh run %s --function smallest_and_largest --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function permuted --input %t7.npy --input 0 --raise required --check
// RUN: %against-numpy mdh run %s --function stencil --input %t0.npy --input 0 --raise required --check
// RUN: %against-numpy mdh run %s --function convolution --input %t0.npy --input %t2.npy --input 1.5 --raise required --check
// RUN: %against-numpy mdh run %s --function reversed --input %t3.npy --input 0 --raise required --check
// RUN: %against-numpy mdh run %s --function doubles --input %t8.npy --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function bytes --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_product --input %t0.npy --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function scaled --input 0.5 --input %t3.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function distances --input %t0.npy --input %t10.npy --raise required --check
// RUN: %against-numpy mdh run %s --function rows_softmax --input %t0.npy --input 0 --raise required --check
// RUN: %against-numpy mdh run %s --function tensor_in_order --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function sized --input %t0.npy --input %t3.npy --input %t4.npy --raise required --check

// CHECK-LABEL: @forall_product
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>]
func.func @forall_product(%x: memref<8x9xf32>, %y: memref<9x7xf32>, %z: memref<8x7xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (8, 7) {
    %s = affine.for %k = 0 to 9 iter_args(%acc = %zero) -> f32 {
      %a = memref.load %x[%i, %k] : memref<8x9xf32>
      %b = memref.load %y[%k, %j] : memref<9x7xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %acc, %p : f32
      affine.yield %t : f32
    }
    memref.store %s, %z[%i, %j] : memref<8x7xf32>
  }
  return
}

// The sums begin with the elements.
// CHECK-LABEL: @tensor_product
func.func @tensor_product(%x: memref<8x9xf32>, %v: memref<9xf32>, %y: memref<8xf32> {llvm.noalias}) {
  affine.for %i = 0 to 8 {
    %start = affine.load %y[%i] : memref<8xf32>
    %s = affine.for %k = 0 to 9 iter_args(%acc = %start) -> f32 {
      %a = affine.load %x[%i, %k] : memref<8x9xf32>
      %b = affine.load %v[%k] : memref<9xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %acc, %p : f32
      affine.yield %t : f32
    }
    affine.store %s, %y[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @integers
func.func @integers(%x: memref<8x9xi32>, %y: memref<9xi32> {llvm.noalias}) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %a = affine.load %x[%i, %j] : memref<8x9xi32>
      %b = affine.load %y[%j] : memref<9xi32>
      %s = arith.xori %a, %b : i32
      affine.store %s, %y[%j] : memref<9xi32>
    }
  }
  return
}

// Two values that a loop carries.
// CHECK-LABEL: @smallest_and_largest
func.func @smallest_and_largest(%x: memref<8x9xi32>) -> (i32, i32) {
  %high = arith.constant 2147483647 : i32
  %low = arith.constant -2147483648 : i32
  %r:2 = affine.for %i = 0 to 8 iter_args(%m = %high, %n = %low) -> (i32, i32) {
    %s:2 = affine.for %j = 0 to 9 iter_args(%p = %m, %q = %n) -> (i32, i32) {
      %a = affine.load %x[%i, %j] : memref<8x9xi32>
      %t = arith.minsi %p, %a : i32
      %u = arith.maxsi %q, %a : i32
      affine.yield %t, %u : i32, i32
    }
    affine.yield %s#0, %s#1 : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: @permuted
func.func @permuted(%x: memref<4x5x6xf32>, %y: memref<6x4x5xf32> {llvm.noalias}) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 5 {
        %a = affine.load %x[%j, %k, %i] : memref<4x5x6xf32>
        affine.store %a, %y[%i, %j, %k] : memref<6x4x5xf32>
      }
    }
  }
  return
}

// The inner elements.
// CHECK-LABEL: @stencil
func.func @stencil(%x: memref<8x9xf32>, %y: memref<8x9xf32> {llvm.noalias}) {
  affine.for %i = 1 to 7 {
    affine.for %j = 1 to 8 {
      %a = affine.load %x[%i - 1, %j] : memref<8x9xf32>
      %b = affine.load %x[%i + 1, %j] : memref<8x9xf32>
      %c = affine.load %x[%i, %j - 1] : memref<8x9xf32>
      %d = affine.load %x[%i, %j + 1] : memref<8x9xf32>
      %s = arith.addf %a, %b : f32
      %t = arith.addf %c, %d : f32
      %u = arith.subf %s, %t : f32
      affine.store %u, %y[%i, %j] : memref<8x9xf32>
    }
  }
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: memref<8x9xf32>, %w: memref<8x7xf32>, %y: memref<3x2xf32> {llvm.noalias}) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 2 {
      affine.for %r = 0 to 4 {
        affine.for %s = 0 to 7 {
          %a = affine.load %x[%i * 2 + %r, %j + %s] : memref<8x9xf32>
          %b = affine.load %w[%r, %s] : memref<8x7xf32>
          %c = affine.load %y[%i, %j] : memref<3x2xf32>
          %p = arith.mulf %a, %b : f32
          %t = arith.addf %c, %p : f32
          affine.store %t, %y[%i, %j] : memref<3x2xf32>
        }
      }
    }
  }
  return
}

// CHECK-LABEL: @reversed
func.func @reversed(%x: memref<9xf32>, %y: memref<9xf32> {llvm.noalias}) {
  affine.for %i = 0 to 9 {
    %a = affine.load %x[%i] : memref<9xf32>
    affine.store %a, %y[8 - %i] : memref<9xf32>
  }
  return
}

// CHECK-LABEL: @doubles
func.func @doubles(%x: memref<9xf64>, %y: memref<9xf64>) -> f64 {
  %one = arith.constant 1.0 : f64
  %s = affine.for %i = 0 to 9 iter_args(%acc = %one) -> f64 {
    %a = affine.load %x[%i] : memref<9xf64>
    %b = affine.load %y[%i] : memref<9xf64>
    %p = arith.addf %a, %b : f64
    %t = arith.mulf %acc, %p : f64
    affine.yield %t : f64
  }
  return %s : f64
}

// Sums of bytes wrap around.
// CHECK-LABEL: @bytes
func.func @bytes(%x: memref<9xi8>) -> i8 {
  %zero = arith.constant 0 : i8
  %s = affine.for %i = 0 to 9 iter_args(%acc = %zero) -> i8 {
    %a = affine.load %x[%i] : memref<9xi8>
    %t = arith.addi %acc, %a : i8
    affine.yield %t : i8
  }
  return %s : i8
}

// CHECK-LABEL: @dynamic_product
func.func @dynamic_product(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %k = memref.dim %x, %c1 : memref<?x?xf32>
  %n = memref.dim %y, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %x[%i, %l] : memref<?x?xf32>
        %b = affine.load %y[%l, %j] : memref<?x?xf32>
        %c = affine.load %z[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %z[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// A scalar of the function.
// CHECK-LABEL: @scaled
func.func @scaled(%alpha: f32, %x: memref<9xf32>, %y: memref<9xf32> {llvm.noalias}) {
  affine.for %i = 0 to 9 {
    %a = affine.load %x[%i] : memref<9xf32>
    %b = affine.load %y[%i] : memref<9xf32>
    %p = arith.mulf %alpha, %a : f32
    %s = arith.addf %p, %b : f32
    affine.store %s, %y[%i] : memref<9xf32>
  }
  return
}

// The smallest distance of each row to the rows of another matrix.
// CHECK-LABEL: @distances
func.func @distances(%x: memref<8x9xf32>, %y: memref<12x9xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %high = arith.constant 0x7F800000 : f32
  %d = memref.alloc() : memref<8x12xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 12 {
      %s = affine.for %k = 0 to 9 iter_args(%acc = %zero) -> f32 {
        %a = affine.load %x[%i, %k] : memref<8x9xf32>
        %b = affine.load %y[%j, %k] : memref<12x9xf32>
        %e = arith.subf %a, %b : f32
        %p = arith.mulf %e, %e : f32
        %t = arith.addf %acc, %p : f32
        affine.yield %t : f32
      }
      affine.store %s, %d[%i, %j] : memref<8x12xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.store %high, %r[%i] : memref<8xf32>
    affine.for %j = 0 to 12 {
      %a = affine.load %d[%i, %j] : memref<8x12xf32>
      %b = affine.load %r[%i] : memref<8xf32>
      %m = arith.minimumf %a, %b : f32
      affine.store %m, %r[%i] : memref<8xf32>
    }
  }
  memref.dealloc %d : memref<8x12xf32>
  return %r : memref<8xf32>
}

// Three statements for each row.
// CHECK-LABEL: @rows_softmax
func.func @rows_softmax(%x: memref<8x9xf32>, %y: memref<8x9xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  affine.for %i = 0 to 8 {
    %m = affine.for %j = 0 to 9 iter_args(%acc = %low) -> f32 {
      %a = affine.load %x[%i, %j] : memref<8x9xf32>
      %t = arith.maximumf %acc, %a : f32
      affine.yield %t : f32
    }
    %s = affine.for %j = 0 to 9 iter_args(%acc = %zero) -> f32 {
      %a = affine.load %x[%i, %j] : memref<8x9xf32>
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      %t = arith.addf %acc, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to 9 {
      %a = affine.load %x[%i, %j] : memref<8x9xf32>
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %s : f32
      affine.store %q, %y[%i, %j] : memref<8x9xf32>
    }
  }
  return
}

// CHECK-LABEL: @tensor_in_order
// CHECK: combine [#mdh.ps<[add]>]
func.func @tensor_in_order(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%t = %x) -> tensor<8xf32> {
    %j = arith.subi %i, %c1 : index
    %a = tensor.extract %t[%j] : tensor<8xf32>
    %b = tensor.extract %t[%i] : tensor<8xf32>
    %s = arith.addf %a, %b : f32
    %u = tensor.insert %s into %t[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Bounds are sizes of the buffers.
// CHECK-LABEL: @sized
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>]
func.func @sized(%x: tensor<8x9xf32>, %v: tensor<9xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<8xf32>
  %n = tensor.dim %x, %c1 : tensor<8x9xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%t = %y) -> (tensor<8xf32>) {
    %u = scf.for %k = %c0 to %n step %c1 iter_args(%s = %t) -> (tensor<8xf32>) {
      %a = tensor.extract %x[%i, %k] : tensor<8x9xf32>
      %b = tensor.extract %v[%k] : tensor<9xf32>
      %old = tensor.extract %s[%i] : tensor<8xf32>
      %p = arith.mulf %a, %b : f32
      %new = arith.addf %old, %p : f32
      %w = tensor.insert %new into %s[%i] : tensor<8xf32>
      scf.yield %w : tensor<8xf32>
    }
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
