// A product of matrices in each form is one computation without a loop around it, with the same schedule, however it is compiled, and its
// result is that of the reference evaluator.
// RUN: sed s/f32/f64/g %s > %t.f64.mlir && cp %s %t.f32.mlir
// RUN: %python %root/test/raise/Inputs/arrays.py %t.f32. 24x40:f32 40x32:f32 24x32:f32
// RUN: %python %root/test/raise/Inputs/arrays.py %t.f64. 24x40:f64 40x32:f64 24x32:f64
// RUN: mdh run %t.f32.mlir --function linalg_tensor --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function linalg_tensor --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function linalg_tensor_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function linalg_tensor_dynamic --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function linalg_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function linalg_memref --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function linalg_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function linalg_memref_dynamic --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function affine_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function affine_memref --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function affine_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function affine_memref_dynamic --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function scf_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function scf_memref --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function scf_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function scf_memref_dynamic --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f32.mlir --function scf_tensor --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RUN: mdh run %t.f64.mlir --function scf_tensor --input %t.f64.0.npy --input %t.f64.1.npy --input %t.f64.2.npy --raise required --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: agrees with the reference evaluator
// What `mdh run` and `mdh tune` compile: with `--set`, there is a computation to change.
// RUN: mdh run %s --function linalg_tensor --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function linalg_tensor_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function linalg_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function linalg_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function affine_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function affine_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function scf_memref --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function scf_memref_dynamic --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RUN: mdh run %s --function scf_tensor --input %t.f32.0.npy --input %t.f32.1.npy --input %t.f32.2.npy --set parts[0][2]=1 --repeat 1 | FileCheck %s --check-prefix=RAN
// RAN: ran 1 times
// RUN: mdh explain %s > %t.explained && FileCheck %s --check-prefix=EXPLAINED --input-file %t.explained
// EXPLAINED-COUNT-9: computation 1, on @cpu
// EXPLAINED-NOT: computation 2
// RUN: mdh compile %s --emit schedule > %t.scheduled && FileCheck %s --check-prefix=SCHEDULED --input-file %t.scheduled --implicit-check-not=scf.for --implicit-check-not=affine.for --implicit-check-not=linalg. --implicit-check-not=cf.assert
// SCHEDULED-COUNT-9: mdh.hom.md_hom
// A checked object compares the sizes of all accesses.
// RUN: mdh compile %s --checked --emit header | FileCheck %s --check-prefix=HEADER --implicit-check-not='are not checked'
// HEADER: scf_tensor

func.func @linalg_tensor(%A: tensor<24x40xf32>, %B: tensor<40x32xf32>, %C: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<24x40xf32>, tensor<40x32xf32>) outs(%C : tensor<24x32xf32>) -> tensor<24x32xf32>
  return %D : tensor<24x32xf32>
}

func.func @linalg_tensor_dynamic(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %D : tensor<?x?xf32>
}

func.func @linalg_memref(%A: memref<24x40xf32> {llvm.noalias}, %B: memref<40x32xf32> {llvm.noalias}, %C: memref<24x32xf32> {llvm.noalias}) {
  linalg.matmul ins(%A, %B : memref<24x40xf32>, memref<40x32xf32>) outs(%C : memref<24x32xf32>)
  return
}

func.func @linalg_memref_dynamic(%A: memref<?x?xf32> {llvm.noalias}, %B: memref<?x?xf32> {llvm.noalias}, %C: memref<?x?xf32> {llvm.noalias}) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}

func.func @affine_memref(%A: memref<24x40xf32> {llvm.noalias}, %B: memref<40x32xf32> {llvm.noalias}, %C: memref<24x32xf32> {llvm.noalias}) {
  affine.for %i = 0 to 24 {
    affine.for %j = 0 to 32 {
      affine.for %k = 0 to 40 {
        %a = affine.load %A[%i, %k] : memref<24x40xf32>
        %b = affine.load %B[%k, %j] : memref<40x32xf32>
        %c = affine.load %C[%i, %j] : memref<24x32xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<24x32xf32>
      }
    }
  }
  return
}

func.func @affine_memref_dynamic(%A: memref<?x?xf32> {llvm.noalias}, %B: memref<?x?xf32> {llvm.noalias}, %C: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  %l = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @scf_memref(%A: memref<24x40xf32> {llvm.noalias}, %B: memref<40x32xf32> {llvm.noalias}, %C: memref<24x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 24 : index
  %n = arith.constant 32 : index
  %l = arith.constant 40 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %a = memref.load %A[%i, %k] : memref<24x40xf32>
        %b = memref.load %B[%k, %j] : memref<40x32xf32>
        %c = memref.load %C[%i, %j] : memref<24x32xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        memref.store %s, %C[%i, %j] : memref<24x32xf32>
      }
    }
  }
  return
}

func.func @scf_memref_dynamic(%A: memref<?x?xf32> {llvm.noalias}, %B: memref<?x?xf32> {llvm.noalias}, %C: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  %l = memref.dim %A, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %a = memref.load %A[%i, %k] : memref<?x?xf32>
        %b = memref.load %B[%k, %j] : memref<?x?xf32>
        %c = memref.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        memref.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @scf_tensor(%A: tensor<24x40xf32>, %B: tensor<40x32xf32>, %C: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 24 : index
  %n = arith.constant 32 : index
  %l = arith.constant 40 : index
  %D = scf.for %i = %c0 to %m step %c1 iter_args(%x = %C) -> (tensor<24x32xf32>) {
    %X = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<24x32xf32>) {
      %Y = scf.for %k = %c0 to %l step %c1 iter_args(%z = %y) -> (tensor<24x32xf32>) {
        %a = tensor.extract %A[%i, %k] : tensor<24x40xf32>
        %b = tensor.extract %B[%k, %j] : tensor<40x32xf32>
        %c = tensor.extract %z[%i, %j] : tensor<24x32xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        %Z = tensor.insert %s into %z[%i, %j] : tensor<24x32xf32>
        scf.yield %Z : tensor<24x32xf32>
      }
      scf.yield %Y : tensor<24x32xf32>
    }
    scf.yield %X : tensor<24x32xf32>
  }
  return %D : tensor<24x32xf32>
}
