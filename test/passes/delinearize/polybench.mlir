// Kernels on memrefs with one dimension, whose sizes are arguments, and which may share memory: as many computations as
// with two dimensions and no shared memory.
// RUN: %python %S/../../raise/Inputs/flatten.py %S/../../raise/loops/polybench.mlir 8 > %t.first.mlir
// RUN: %python %S/../../raise/Inputs/flatten.py %S/../../raise/loops/polybench-others.mlir 8 > %t.second.mlir
// RUN: cat %t.first.mlir %t.second.mlir > %t.mlir
// RUN: cat %S/../../raise/loops/polybench.mlir %S/../../raise/loops/polybench-others.mlir | mdh-opt --mdh-raise | grep -o "func.func @[a-z_0-9]*\|mdh.hom.md_hom" > %t.expected
// RUN: mdh-opt %t.mlir --mdh-delinearize --mdh-raise | grep -o "func.func @[a-z_0-9]*\|mdh.hom.md_hom" > %t.found
// RUN: diff %t.expected %t.found
//
// A second run changes nothing.
// RUN: mdh-opt %t.mlir --mdh-delinearize > %t.once.mlir
// RUN: mdh-opt %t.once.mlir --mdh-delinearize | diff %t.once.mlir -
//
// RUN: %python %S/../../raise/Inputs/arrays.py %t 64 64 512 8 8
// RUN: mdh run %t.mlir --function gemm --input 8 --input %t0.npy --input %t1.npy --input %t0.npy --check
// RUN: mdh run %t.mlir --function gemver --input 8 --input %t0.npy --input %t3.npy --input %t4.npy --input %t3.npy --input %t4.npy --input %t3.npy --input %t4.npy --input %t3.npy --input %t4.npy --check
// RUN: mdh run %t.mlir --function correlation --input 8 --input %t0.npy --input %t3.npy --input %t4.npy --input %t1.npy --check
// RUN: mdh run %t.mlir --function fdtd_2d --input 8 --input %t0.npy --input %t1.npy --input %t0.npy --input %t3.npy --check
// RUN: mdh run %t.mlir --function heat_3d --input 8 --input %t2.npy --input %t2.npy --check
// RUN: mdh run %t.mlir --function doitgen --input 8 --input %t2.npy --input %t1.npy --input %t3.npy --check
//
// Indices with factors, reversed rows and steps, with dynamic bounds.
// RUN: mdh-opt %s --mdh-delinearize --mdh-raise | FileCheck %s
// RUN: %python %S/../../raise/Inputs/arrays.py %t 72:f32 144:f32
// RUN: mdh run %s --function odd_even --input 8 --input %t1.npy --check
// RUN: mdh run %s --function reversed --input 8 --input 9 --input %t0.npy --input %t0.npy --check
// RUN: mdh run %s --function steps --input 8 --input 9 --input %t0.npy --check
// RUN: mdh run %s --function steps --input 7 --input 8 --input %t0.npy --check
// RUN: mdh run %s --function steps --input 0 --input 8 --input %t0.npy --check

// CHECK-LABEL: @odd_even
// CHECK:       %[[VIEW:.*]] = memref.reinterpret_cast
// CHECK:       memref.subview %[[VIEW]]{{.*}} [2, 1]
// CHECK:       memref.subview %[[VIEW]]{{.*}} [2, 1]
// CHECK:       mdh.hom.md_hom
func.func @odd_even(%N: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %x = affine.load %A[(2 * %j + 1) * symbol(%N) + %i] : memref<?xf32>
      affine.store %x, %A[2 * %j * symbol(%N) + %i] : memref<?xf32>
    }
  }
  return
}

// Both indices fall with the loop, and its variable is a value.
// CHECK-LABEL: @reversed
// CHECK:       mdh.hom.md_hom
// CHECK:       else
func.func @reversed(%n: index, %m: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %A[symbol(%m) * %i + symbol(%m) - %j - 1] : memref<?xf32>
      %0 = arith.index_cast %j : index to i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.addf %x, %1 : f32
      affine.store %2, %B[symbol(%m) * %i + symbol(%m) - %j - 1] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @steps
// CHECK:       arith.ceildivsi
// CHECK:       mdh.hom.md_hom
// CHECK:       else
func.func @steps(%n: index, %m: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %n step 3 {
    affine.for %j = 1 to %m step 2 {
      %x = affine.load %A[%i * symbol(%m) + %j] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %A[%i * symbol(%m) + %j] : memref<?xf32>
    }
  }
  return
}
