// Memrefs that operations of affine, memref and vector write are outputs, which --check compares.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh run %s --function affine --input 3 --input 0 | FileCheck %s --check-prefix=AFFINE
// RUN: mdh run %s --function affine --input 3 --input 0 --output %t/y.npy --check | FileCheck %s
// RUN: od -A n -t f4 -j 128 %t/y.npy | FileCheck %s --check-prefix=FILE
// RUN: mdh run %s --function vector --input 3 --input 0 | FileCheck %s --check-prefix=VECTOR
// CHECK: agrees with the reference evaluator
// AFFINE: argument 2: 4xf32
// AFFINE-NEXT: [9.0 9.0 9.0 9.0]
// FILE: 9{{ +}}9{{ +}}9{{ +}}9
// VECTOR: argument 2: 4xf32
// VECTOR-NEXT: [6.0 6.0 6.0 6.0]

func.func @affine(%x: memref<4xf32>, %y: memref<4xf32> {llvm.noalias}) {
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %y[%i] : memref<4xf32>
  }
  return
}

func.func @vector(%x: memref<4xf32>, %y: memref<4xf32> {llvm.noalias}) {
  %zero = arith.constant 0 : index
  %a = vector.load %x[%zero] : memref<4xf32>, vector<4xf32>
  %b = arith.addf %a, %a : vector<4xf32>
  vector.store %b, %y[%zero] : memref<4xf32>, vector<4xf32>
  return
}
