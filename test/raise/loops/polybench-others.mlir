// The other kernels of PolyBench 4.2 (Pouchet and Yuki), written anew as affine nests: what is raised, and what stays.
// RUN: mdh-opt %s --mdh-raise --verify-diagnostics | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 8 8x8 8x8x8 8 8x8 1
// RUN: %against-numpy mdh run %s --function three_mm --input %t1.npy --input %t4.npy --input %t1.npy --input %t4.npy --input %t1.npy --input %t4.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function jacobi_1d --input %t0.npy --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function heat_3d --input %t2.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function correlation --input %t1.npy --input %t0.npy --input %t3.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function symm --input %t1.npy --input %t4.npy --input %t1.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function syr2k --input %t1.npy --input %t4.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function cholesky --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function durbin --input %t0.npy --input %t3.npy --input %t0.npy --input %t5.npy --input %t5.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function gramschmidt --input %t1.npy --input %t4.npy --input %t1.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function ludcmp --input %t1.npy --input %t0.npy --input %t3.npy --input %t0.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function deriche --input %t1.npy --input %t4.npy --input %t1.npy --input %t4.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function floyd_warshall --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function nussinov --input %t0.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function adi --input %t1.npy --input %t4.npy --input %t1.npy --input %t4.npy --check

// 3mm: G = (A * B) * (C * D)
// CHECK-LABEL: @three_mm
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @three_mm(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}, %D: memref<8x8xf32> {llvm.noalias}, %E: memref<8x8xf32> {llvm.noalias}, %F: memref<8x8xf32> {llvm.noalias}, %G: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %E[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v1 = affine.load %E[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v3 = affine.load %B[%k, %j] : memref<8x8xf32>
        %v4 = arith.mulf %v2, %v3 : f32
        %v5 = arith.addf %v1, %v4 : f32
        affine.store %v5, %E[%i, %j] : memref<8x8xf32>
      }
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %F[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v6 = affine.load %F[%i, %j] : memref<8x8xf32>
        %v7 = affine.load %C[%i, %k] : memref<8x8xf32>
        %v8 = affine.load %D[%k, %j] : memref<8x8xf32>
        %v9 = arith.mulf %v7, %v8 : f32
        %v10 = arith.addf %v6, %v9 : f32
        affine.store %v10, %F[%i, %j] : memref<8x8xf32>
      }
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %G[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v11 = affine.load %G[%i, %j] : memref<8x8xf32>
        %v12 = affine.load %E[%i, %k] : memref<8x8xf32>
        %v13 = affine.load %F[%k, %j] : memref<8x8xf32>
        %v14 = arith.mulf %v12, %v13 : f32
        %v15 = arith.addf %v11, %v14 : f32
        affine.store %v15, %G[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// jacobi-1d: the loop over time steps stays
// CHECK-LABEL: @jacobi_1d
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @jacobi_1d(%A: memref<8xf32> {llvm.noalias}, %B: memref<8xf32> {llvm.noalias}) {
  %half = arith.constant 0.5 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to 7 {
      %v1 = affine.load %A[%i - 1] : memref<8xf32>
      %v2 = affine.load %A[%i] : memref<8xf32>
      %v3 = arith.addf %v1, %v2 : f32
      %v4 = affine.load %A[%i + 1] : memref<8xf32>
      %v5 = arith.addf %v3, %v4 : f32
      %v6 = arith.mulf %half, %v5 : f32
      affine.store %v6, %B[%i] : memref<8xf32>
    }
    affine.for %i = 1 to 7 {
      %v7 = affine.load %B[%i - 1] : memref<8xf32>
      %v8 = affine.load %B[%i] : memref<8xf32>
      %v9 = arith.addf %v7, %v8 : f32
      %v10 = affine.load %B[%i + 1] : memref<8xf32>
      %v11 = arith.addf %v9, %v10 : f32
      %v12 = arith.mulf %half, %v11 : f32
      affine.store %v12, %A[%i] : memref<8xf32>
    }
  }
  return
}

// heat-3d: the loop over time steps stays
// CHECK-LABEL: @heat_3d
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @heat_3d(%A: memref<8x8x8xf32> {llvm.noalias}, %B: memref<8x8x8xf32> {llvm.noalias}) {
  %eighth = arith.constant 0.125 : f32
  %two = arith.constant 2.0 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8x8x8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to 7 {
      affine.for %j = 1 to 7 {
        affine.for %k = 1 to 7 {
          %v1 = affine.load %A[%i + 1, %j, %k] : memref<8x8x8xf32>
          %v2 = affine.load %A[%i, %j, %k] : memref<8x8x8xf32>
          %v3 = arith.mulf %two, %v2 : f32
          %v4 = arith.subf %v1, %v3 : f32
          %v5 = affine.load %A[%i - 1, %j, %k] : memref<8x8x8xf32>
          %v6 = arith.addf %v4, %v5 : f32
          %v7 = arith.mulf %eighth, %v6 : f32
          %v8 = affine.load %A[%i, %j + 1, %k] : memref<8x8x8xf32>
          %v9 = affine.load %A[%i, %j, %k] : memref<8x8x8xf32>
          %v10 = arith.mulf %two, %v9 : f32
          %v11 = arith.subf %v8, %v10 : f32
          %v12 = affine.load %A[%i, %j - 1, %k] : memref<8x8x8xf32>
          %v13 = arith.addf %v11, %v12 : f32
          %v14 = arith.mulf %eighth, %v13 : f32
          %v15 = arith.addf %v7, %v14 : f32
          %v16 = affine.load %A[%i, %j, %k + 1] : memref<8x8x8xf32>
          %v17 = affine.load %A[%i, %j, %k] : memref<8x8x8xf32>
          %v18 = arith.mulf %two, %v17 : f32
          %v19 = arith.subf %v16, %v18 : f32
          %v20 = affine.load %A[%i, %j, %k - 1] : memref<8x8x8xf32>
          %v21 = arith.addf %v19, %v20 : f32
          %v22 = arith.mulf %eighth, %v21 : f32
          %v23 = arith.addf %v15, %v22 : f32
          %v24 = affine.load %A[%i, %j, %k] : memref<8x8x8xf32>
          %v25 = arith.addf %v23, %v24 : f32
          affine.store %v25, %B[%i, %j, %k] : memref<8x8x8xf32>
        }
      }
    }
    affine.for %i = 1 to 7 {
      affine.for %j = 1 to 7 {
        affine.for %k = 1 to 7 {
          %v26 = affine.load %B[%i + 1, %j, %k] : memref<8x8x8xf32>
          %v27 = affine.load %B[%i, %j, %k] : memref<8x8x8xf32>
          %v28 = arith.mulf %two, %v27 : f32
          %v29 = arith.subf %v26, %v28 : f32
          %v30 = affine.load %B[%i - 1, %j, %k] : memref<8x8x8xf32>
          %v31 = arith.addf %v29, %v30 : f32
          %v32 = arith.mulf %eighth, %v31 : f32
          %v33 = affine.load %B[%i, %j + 1, %k] : memref<8x8x8xf32>
          %v34 = affine.load %B[%i, %j, %k] : memref<8x8x8xf32>
          %v35 = arith.mulf %two, %v34 : f32
          %v36 = arith.subf %v33, %v35 : f32
          %v37 = affine.load %B[%i, %j - 1, %k] : memref<8x8x8xf32>
          %v38 = arith.addf %v36, %v37 : f32
          %v39 = arith.mulf %eighth, %v38 : f32
          %v40 = arith.addf %v32, %v39 : f32
          %v41 = affine.load %B[%i, %j, %k + 1] : memref<8x8x8xf32>
          %v42 = affine.load %B[%i, %j, %k] : memref<8x8x8xf32>
          %v43 = arith.mulf %two, %v42 : f32
          %v44 = arith.subf %v41, %v43 : f32
          %v45 = affine.load %B[%i, %j, %k - 1] : memref<8x8x8xf32>
          %v46 = arith.addf %v44, %v45 : f32
          %v47 = arith.mulf %eighth, %v46 : f32
          %v48 = arith.addf %v40, %v47 : f32
          %v49 = affine.load %B[%i, %j, %k] : memref<8x8x8xf32>
          %v50 = arith.addf %v48, %v49 : f32
          affine.store %v50, %A[%i, %j, %k] : memref<8x8x8xf32>
        }
      }
    }
  }
  return
}

// correlation: means, deviations and scaled differences; the triangle stays, the sums in it are raised
// CHECK-LABEL: @correlation
// CHECK-COUNT-9: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @correlation(%D: memref<8x8xf32> {llvm.noalias}, %m: memref<8xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 0.125 : f32
  %tenth = arith.constant 0.1 : f32
  %one = arith.constant 1.0 : f32
  affine.for %j = 0 to 8 {
    affine.store %zero, %m[%j] : memref<8xf32>
    affine.for %i = 0 to 8 {
      %v1 = affine.load %m[%j] : memref<8xf32>
      %v2 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v3 = arith.addf %v1, %v2 : f32
      affine.store %v3, %m[%j] : memref<8xf32>
    }
    %v4 = affine.load %m[%j] : memref<8xf32>
    %v5 = arith.mulf %v4, %eighth : f32
    affine.store %v5, %m[%j] : memref<8xf32>
  }
  affine.for %j = 0 to 8 {
    affine.store %zero, %s[%j] : memref<8xf32>
    affine.for %i = 0 to 8 {
      %v6 = affine.load %s[%j] : memref<8xf32>
      %v7 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v8 = affine.load %m[%j] : memref<8xf32>
      %v9 = arith.subf %v7, %v8 : f32
      %v10 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v11 = affine.load %m[%j] : memref<8xf32>
      %v12 = arith.subf %v10, %v11 : f32
      %v13 = arith.mulf %v9, %v12 : f32
      %v14 = arith.addf %v6, %v13 : f32
      affine.store %v14, %s[%j] : memref<8xf32>
    }
    %v15 = affine.load %s[%j] : memref<8xf32>
    %v16 = arith.mulf %v15, %eighth : f32
    affine.store %v16, %s[%j] : memref<8xf32>
    %v17 = affine.load %s[%j] : memref<8xf32>
    %v18 = math.sqrt %v17 : f32
    affine.store %v18, %s[%j] : memref<8xf32>
    %v19 = affine.load %s[%j] : memref<8xf32>
    %v20 = arith.cmpf ole, %v19, %tenth : f32
    %v21 = arith.select %v20, %one, %v19 : f32
    affine.store %v21, %s[%j] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v22 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v23 = affine.load %m[%j] : memref<8xf32>
      %v24 = arith.subf %v22, %v23 : f32
      affine.store %v24, %D[%i, %j] : memref<8x8xf32>
      %v25 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v26 = affine.load %s[%j] : memref<8xf32>
      %v27 = arith.divf %v25, %v26 : f32
      affine.store %v27, %D[%i, %j] : memref<8x8xf32>
    }
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8x8xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 7 {
    affine.store %one, %C[%i, %i] : memref<8x8xf32>
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8x8xf32> (an argument) is written again before an earlier statement is done with it}}
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to 8 {
      affine.store %zero, %C[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v28 = affine.load %C[%i, %j] : memref<8x8xf32>
        %v29 = affine.load %D[%k, %i] : memref<8x8xf32>
        %v30 = affine.load %D[%k, %j] : memref<8x8xf32>
        %v31 = arith.mulf %v29, %v30 : f32
        %v32 = arith.addf %v28, %v31 : f32
        affine.store %v32, %C[%i, %j] : memref<8x8xf32>
      }
      %v33 = affine.load %C[%i, %j] : memref<8x8xf32>
      affine.store %v33, %C[%j, %i] : memref<8x8xf32>
    }
  }
  affine.store %one, %C[7, 7] : memref<8x8xf32>
  return
}

// symm: the triangle stays; one sum is a scalar of all elements
// CHECK-LABEL: @symm
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @symm(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}, %w: memref<1xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 1.5 : f32
  %half = arith.constant 0.5 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
    affine.for %j = 0 to 8 {
      affine.store %zero, %w[0] : memref<1xf32>
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %v1 = affine.load %C[%k, %j] : memref<8x8xf32>
        %v2 = affine.load %B[%i, %j] : memref<8x8xf32>
        %v3 = arith.mulf %alpha, %v2 : f32
        %v4 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v5 = arith.mulf %v3, %v4 : f32
        %v6 = arith.addf %v1, %v5 : f32
        affine.store %v6, %C[%k, %j] : memref<8x8xf32>
        %v7 = affine.load %w[0] : memref<1xf32>
        %v8 = affine.load %B[%k, %j] : memref<8x8xf32>
        %v9 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v10 = arith.mulf %v8, %v9 : f32
        %v11 = arith.addf %v7, %v10 : f32
        affine.store %v11, %w[0] : memref<1xf32>
      }
      %v12 = affine.load %C[%i, %j] : memref<8x8xf32>
      %v13 = arith.mulf %half, %v12 : f32
      %v14 = affine.load %B[%i, %j] : memref<8x8xf32>
      %v15 = arith.mulf %alpha, %v14 : f32
      %v16 = affine.load %A[%i, %i] : memref<8x8xf32>
      %v17 = arith.mulf %v15, %v16 : f32
      %v18 = arith.addf %v13, %v17 : f32
      %v19 = affine.load %w[0] : memref<1xf32>
      %v20 = arith.mulf %alpha, %v19 : f32
      %v21 = arith.addf %v18, %v20 : f32
      affine.store %v21, %C[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// syr2k: the triangle stays, rows of it are raised
// CHECK-LABEL: @syr2k
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @syr2k(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}) {
  %half = arith.constant 0.5 : f32
  %alpha = arith.constant 1.5 : f32
  // expected-remark @below {{is not raised: requires bounds that do not depend on another loop of the nest}}
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %v1 = affine.load %C[%i, %j] : memref<8x8xf32>
      %v2 = arith.mulf %v1, %half : f32
      affine.store %v2, %C[%i, %j] : memref<8x8xf32>
    }
    // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines values of types (f32, f32) with them}}
    affine.for %k = 0 to 8 {
      affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
        %v3 = affine.load %C[%i, %j] : memref<8x8xf32>
        %v4 = affine.load %A[%j, %k] : memref<8x8xf32>
        %v5 = arith.mulf %v4, %alpha : f32
        %v6 = affine.load %B[%i, %k] : memref<8x8xf32>
        %v7 = arith.mulf %v5, %v6 : f32
        %v8 = arith.addf %v3, %v7 : f32
        %v9 = affine.load %B[%j, %k] : memref<8x8xf32>
        %v10 = arith.mulf %v9, %alpha : f32
        %v11 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v12 = arith.mulf %v10, %v11 : f32
        %v13 = arith.addf %v8, %v12 : f32
        affine.store %v13, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// cholesky, of a matrix whose diagonal is made large: each element needs earlier ones
// CHECK-LABEL: @cholesky
// CHECK-COUNT-1: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @cholesky(%A: memref<8x8xf32> {llvm.noalias}) {
  %large = arith.constant 64.0 : f32
  affine.for %i = 0 to 8 {
    %v1 = affine.load %A[%i, %i] : memref<8x8xf32>
    %v2 = arith.addf %v1, %large : f32
    affine.store %v2, %A[%i, %i] : memref<8x8xf32>
  }
  // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (0, ?, ?) from the iteration that reads it}}
  affine.for %i = 0 to 8 {
    // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?, ?) from the iteration that reads it}}
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?) from the iteration that reads it}}
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %v3 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v4 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v5 = affine.load %A[%j, %k] : memref<8x8xf32>
        %v6 = arith.mulf %v4, %v5 : f32
        %v7 = arith.subf %v3, %v6 : f32
        affine.store %v7, %A[%i, %j] : memref<8x8xf32>
      }
      %v8 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v9 = affine.load %A[%j, %j] : memref<8x8xf32>
      %v10 = arith.divf %v8, %v9 : f32
      affine.store %v10, %A[%i, %j] : memref<8x8xf32>
    }
    // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?) from the iteration that reads it}}
    affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
      %v11 = affine.load %A[%i, %i] : memref<8x8xf32>
      %v12 = affine.load %A[%i, %k] : memref<8x8xf32>
      %v13 = affine.load %A[%i, %k] : memref<8x8xf32>
      %v14 = arith.mulf %v12, %v13 : f32
      %v15 = arith.subf %v11, %v14 : f32
      affine.store %v15, %A[%i, %i] : memref<8x8xf32>
    }
    %v16 = affine.load %A[%i, %i] : memref<8x8xf32>
    %v17 = math.sqrt %v16 : f32
    affine.store %v17, %A[%i, %i] : memref<8x8xf32>
  }
  return
}

// durbin: each step needs the one before it
// CHECK-LABEL: @durbin
// CHECK-COUNT-1: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @durbin(%r: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %z: memref<8xf32> {llvm.noalias}, %a: memref<1xf32> {llvm.noalias}, %b: memref<1xf32> {llvm.noalias}, %w: memref<1xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 0.125 : f32
  %one = arith.constant 1.0 : f32
  %v1 = affine.load %r[0] : memref<8xf32>
  %v2 = arith.mulf %v1, %eighth : f32
  %v3 = arith.subf %zero, %v2 : f32
  affine.store %v3, %y[0] : memref<8xf32>
  affine.store %one, %b[0] : memref<1xf32>
  %v4 = affine.load %r[0] : memref<8xf32>
  %v5 = arith.mulf %v4, %eighth : f32
  %v6 = arith.subf %zero, %v5 : f32
  affine.store %v6, %a[0] : memref<1xf32>
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %k = 1 to 8 {
    %v7 = affine.load %a[0] : memref<1xf32>
    %v8 = affine.load %a[0] : memref<1xf32>
    %v9 = arith.mulf %v7, %v8 : f32
    %v10 = arith.subf %one, %v9 : f32
    %v11 = affine.load %b[0] : memref<1xf32>
    %v12 = arith.mulf %v10, %v11 : f32
    affine.store %v12, %b[0] : memref<1xf32>
    affine.store %zero, %w[0] : memref<1xf32>
    // expected-remark @below {{is not raised: requires an index of each loop with dynamic bounds alone}}
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %v13 = affine.load %w[0] : memref<1xf32>
      %v14 = affine.load %r[%k - %i - 1] : memref<8xf32>
      %v15 = arith.mulf %v14, %eighth : f32
      %v16 = affine.load %y[%i] : memref<8xf32>
      %v17 = arith.mulf %v15, %v16 : f32
      %v18 = arith.addf %v13, %v17 : f32
      affine.store %v18, %w[0] : memref<1xf32>
    }
    %v19 = affine.load %r[%k] : memref<8xf32>
    %v20 = arith.mulf %v19, %eighth : f32
    %v21 = affine.load %w[0] : memref<1xf32>
    %v22 = arith.addf %v20, %v21 : f32
    %v23 = arith.subf %zero, %v22 : f32
    %v24 = affine.load %b[0] : memref<1xf32>
    %v25 = arith.divf %v23, %v24 : f32
    affine.store %v25, %a[0] : memref<1xf32>
    // expected-remark @below {{is not raised: requires an index of each loop with dynamic bounds alone}}
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %v26 = affine.load %y[%i] : memref<8xf32>
      %v27 = affine.load %a[0] : memref<1xf32>
      %v28 = affine.load %y[%k - %i - 1] : memref<8xf32>
      %v29 = arith.mulf %v27, %v28 : f32
      %v30 = arith.addf %v26, %v29 : f32
      affine.store %v30, %z[%i] : memref<8xf32>
    }
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %v31 = affine.load %z[%i] : memref<8xf32>
      affine.store %v31, %y[%i] : memref<8xf32>
    }
    %v32 = affine.load %a[0] : memref<1xf32>
    affine.store %v32, %y[%k] : memref<8xf32>
  }
  return
}

// gramschmidt: each column needs those before it
// CHECK-LABEL: @gramschmidt
// CHECK-COUNT-4: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @gramschmidt(%A: memref<8x8xf32> {llvm.noalias}, %R: memref<8x8xf32> {llvm.noalias}, %Q: memref<8x8xf32> {llvm.noalias}, %w: memref<1xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %k = 0 to 8 {
    affine.store %zero, %w[0] : memref<1xf32>
    affine.for %i = 0 to 8 {
      %v1 = affine.load %w[0] : memref<1xf32>
      %v2 = affine.load %A[%i, %k] : memref<8x8xf32>
      %v3 = affine.load %A[%i, %k] : memref<8x8xf32>
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.addf %v1, %v4 : f32
      affine.store %v5, %w[0] : memref<1xf32>
    }
    %v6 = affine.load %w[0] : memref<1xf32>
    %v7 = math.sqrt %v6 : f32
    affine.store %v7, %R[%k, %k] : memref<8x8xf32>
    affine.for %i = 0 to 8 {
      %v8 = affine.load %A[%i, %k] : memref<8x8xf32>
      %v9 = affine.load %R[%k, %k] : memref<8x8xf32>
      %v10 = arith.divf %v8, %v9 : f32
      affine.store %v10, %Q[%i, %k] : memref<8x8xf32>
    }
    affine.for %j = affine_map<(k) -> (k + 1)>(%k) to 8 {
      affine.store %zero, %R[%k, %j] : memref<8x8xf32>
      affine.for %i = 0 to 8 {
        %v11 = affine.load %R[%k, %j] : memref<8x8xf32>
        %v12 = affine.load %Q[%i, %k] : memref<8x8xf32>
        %v13 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v14 = arith.mulf %v12, %v13 : f32
        %v15 = arith.addf %v11, %v14 : f32
        affine.store %v15, %R[%k, %j] : memref<8x8xf32>
      }
      affine.for %i = 0 to 8 {
        %v16 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v17 = affine.load %Q[%i, %k] : memref<8x8xf32>
        %v18 = affine.load %R[%k, %j] : memref<8x8xf32>
        %v19 = arith.mulf %v17, %v18 : f32
        %v20 = arith.subf %v16, %v19 : f32
        affine.store %v20, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// ludcmp, of a matrix whose diagonal is made large: each element needs earlier ones
// CHECK-LABEL: @ludcmp
// CHECK-COUNT-5: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @ludcmp(%A: memref<8x8xf32> {llvm.noalias}, %b: memref<8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %w: memref<1xf32> {llvm.noalias}) {
  %large = arith.constant 64.0 : f32
  affine.for %i = 0 to 8 {
    %v1 = affine.load %A[%i, %i] : memref<8x8xf32>
    %v2 = arith.addf %v1, %large : f32
    affine.store %v2, %A[%i, %i] : memref<8x8xf32>
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %v3 = affine.load %A[%i, %j] : memref<8x8xf32>
      affine.store %v3, %w[0] : memref<1xf32>
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %v4 = affine.load %w[0] : memref<1xf32>
        %v5 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v6 = affine.load %A[%k, %j] : memref<8x8xf32>
        %v7 = arith.mulf %v5, %v6 : f32
        %v8 = arith.subf %v4, %v7 : f32
        affine.store %v8, %w[0] : memref<1xf32>
      }
      %v9 = affine.load %w[0] : memref<1xf32>
      %v10 = affine.load %A[%j, %j] : memref<8x8xf32>
      %v11 = arith.divf %v9, %v10 : f32
      affine.store %v11, %A[%i, %j] : memref<8x8xf32>
    }
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
    affine.for %j = affine_map<(i) -> (i)>(%i) to 8 {
      %v12 = affine.load %A[%i, %j] : memref<8x8xf32>
      affine.store %v12, %w[0] : memref<1xf32>
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %v13 = affine.load %w[0] : memref<1xf32>
        %v14 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v15 = affine.load %A[%k, %j] : memref<8x8xf32>
        %v16 = arith.mulf %v14, %v15 : f32
        %v17 = arith.subf %v13, %v16 : f32
        affine.store %v17, %w[0] : memref<1xf32>
      }
      %v18 = affine.load %w[0] : memref<1xf32>
      affine.store %v18, %A[%i, %j] : memref<8x8xf32>
    }
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    %v19 = affine.load %b[%i] : memref<8xf32>
    affine.store %v19, %w[0] : memref<1xf32>
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %v20 = affine.load %w[0] : memref<1xf32>
      %v21 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v22 = affine.load %y[%j] : memref<8xf32>
      %v23 = arith.mulf %v21, %v22 : f32
      %v24 = arith.subf %v20, %v23 : f32
      affine.store %v24, %w[0] : memref<1xf32>
    }
    %v25 = affine.load %w[0] : memref<1xf32>
    affine.store %v25, %y[%i] : memref<8xf32>
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<1xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    %v26 = affine.load %y[7 - %i] : memref<8xf32>
    affine.store %v26, %w[0] : memref<1xf32>
    affine.for %j = affine_map<(i) -> (8 - i)>(%i) to 8 {
      %v27 = affine.load %w[0] : memref<1xf32>
      %v28 = affine.load %A[7 - %i, %j] : memref<8x8xf32>
      %v29 = affine.load %x[%j] : memref<8xf32>
      %v30 = arith.mulf %v28, %v29 : f32
      %v31 = arith.subf %v27, %v30 : f32
      affine.store %v31, %w[0] : memref<1xf32>
    }
    %v32 = affine.load %w[0] : memref<1xf32>
    %v33 = affine.load %A[7 - %i, 7 - %i] : memref<8x8xf32>
    %v34 = arith.divf %v32, %v33 : f32
    affine.store %v34, %x[7 - %i] : memref<8xf32>
  }
  return
}

// deriche: recursive filters along rows and columns; sums of both directions are raised. s: the last values of a filter
// CHECK-LABEL: @deriche
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @deriche(%I: memref<8x8xf32> {llvm.noalias}, %O: memref<8x8xf32> {llvm.noalias}, %U: memref<8x8xf32> {llvm.noalias}, %V: memref<8x8xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %alpha = arith.constant 1.5 : f32
  %half = arith.constant 0.5 : f32
  %eighth = arith.constant 0.125 : f32
  %tenth = arith.constant 0.1 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    affine.store %zero, %s[0] : memref<8xf32>
    affine.store %zero, %s[1] : memref<8xf32>
    affine.store %zero, %s[2] : memref<8xf32>
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is written before an earlier statement is done with it}}
    affine.for %j = 0 to 8 {
      %v1 = affine.load %I[%i, %j] : memref<8x8xf32>
      %v2 = arith.mulf %alpha, %v1 : f32
      %v3 = affine.load %s[0] : memref<8xf32>
      %v4 = arith.mulf %half, %v3 : f32
      %v5 = arith.addf %v2, %v4 : f32
      %v6 = affine.load %s[1] : memref<8xf32>
      %v7 = arith.mulf %eighth, %v6 : f32
      %v8 = arith.addf %v5, %v7 : f32
      %v9 = affine.load %s[2] : memref<8xf32>
      %v10 = arith.mulf %tenth, %v9 : f32
      %v11 = arith.addf %v8, %v10 : f32
      affine.store %v11, %U[%i, %j] : memref<8x8xf32>
      %v12 = affine.load %I[%i, %j] : memref<8x8xf32>
      affine.store %v12, %s[0] : memref<8xf32>
      %v13 = affine.load %s[1] : memref<8xf32>
      affine.store %v13, %s[2] : memref<8xf32>
      %v14 = affine.load %U[%i, %j] : memref<8x8xf32>
      affine.store %v14, %s[1] : memref<8xf32>
    }
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %i = 0 to 8 {
    affine.store %zero, %s[0] : memref<8xf32>
    affine.store %zero, %s[1] : memref<8xf32>
    affine.store %zero, %s[2] : memref<8xf32>
    affine.store %zero, %s[3] : memref<8xf32>
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is written before an earlier statement is done with it}}
    affine.for %j = 0 to 8 {
      %v15 = affine.load %s[0] : memref<8xf32>
      %v16 = arith.mulf %half, %v15 : f32
      %v17 = affine.load %s[1] : memref<8xf32>
      %v18 = arith.mulf %eighth, %v17 : f32
      %v19 = arith.addf %v16, %v18 : f32
      %v20 = affine.load %s[2] : memref<8xf32>
      %v21 = arith.mulf %eighth, %v20 : f32
      %v22 = arith.addf %v19, %v21 : f32
      %v23 = affine.load %s[3] : memref<8xf32>
      %v24 = arith.mulf %tenth, %v23 : f32
      %v25 = arith.addf %v22, %v24 : f32
      affine.store %v25, %V[%i, 7 - %j] : memref<8x8xf32>
      %v26 = affine.load %s[0] : memref<8xf32>
      affine.store %v26, %s[1] : memref<8xf32>
      %v27 = affine.load %I[%i, 7 - %j] : memref<8x8xf32>
      affine.store %v27, %s[0] : memref<8xf32>
      %v28 = affine.load %s[2] : memref<8xf32>
      affine.store %v28, %s[3] : memref<8xf32>
      %v29 = affine.load %V[%i, 7 - %j] : memref<8x8xf32>
      affine.store %v29, %s[2] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v30 = affine.load %U[%i, %j] : memref<8x8xf32>
      %v31 = affine.load %V[%i, %j] : memref<8x8xf32>
      %v32 = arith.addf %v30, %v31 : f32
      %v33 = arith.mulf %half, %v32 : f32
      affine.store %v33, %O[%i, %j] : memref<8x8xf32>
    }
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %j = 0 to 8 {
    affine.store %zero, %s[0] : memref<8xf32>
    affine.store %zero, %s[1] : memref<8xf32>
    affine.store %zero, %s[2] : memref<8xf32>
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is written before an earlier statement is done with it}}
    affine.for %i = 0 to 8 {
      %v34 = affine.load %O[%i, %j] : memref<8x8xf32>
      %v35 = arith.mulf %alpha, %v34 : f32
      %v36 = affine.load %s[0] : memref<8xf32>
      %v37 = arith.mulf %half, %v36 : f32
      %v38 = arith.addf %v35, %v37 : f32
      %v39 = affine.load %s[1] : memref<8xf32>
      %v40 = arith.mulf %eighth, %v39 : f32
      %v41 = arith.addf %v38, %v40 : f32
      %v42 = affine.load %s[2] : memref<8xf32>
      %v43 = arith.mulf %tenth, %v42 : f32
      %v44 = arith.addf %v41, %v43 : f32
      affine.store %v44, %U[%i, %j] : memref<8x8xf32>
      %v45 = affine.load %O[%i, %j] : memref<8x8xf32>
      affine.store %v45, %s[0] : memref<8xf32>
      %v46 = affine.load %s[1] : memref<8xf32>
      affine.store %v46, %s[2] : memref<8xf32>
      %v47 = affine.load %U[%i, %j] : memref<8x8xf32>
      affine.store %v47, %s[1] : memref<8xf32>
    }
  }
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %j = 0 to 8 {
    affine.store %zero, %s[0] : memref<8xf32>
    affine.store %zero, %s[1] : memref<8xf32>
    affine.store %zero, %s[2] : memref<8xf32>
    affine.store %zero, %s[3] : memref<8xf32>
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8xf32> (an argument) is written before an earlier statement is done with it}}
    affine.for %i = 0 to 8 {
      %v48 = affine.load %s[0] : memref<8xf32>
      %v49 = arith.mulf %half, %v48 : f32
      %v50 = affine.load %s[1] : memref<8xf32>
      %v51 = arith.mulf %eighth, %v50 : f32
      %v52 = arith.addf %v49, %v51 : f32
      %v53 = affine.load %s[2] : memref<8xf32>
      %v54 = arith.mulf %eighth, %v53 : f32
      %v55 = arith.addf %v52, %v54 : f32
      %v56 = affine.load %s[3] : memref<8xf32>
      %v57 = arith.mulf %tenth, %v56 : f32
      %v58 = arith.addf %v55, %v57 : f32
      affine.store %v58, %V[7 - %i, %j] : memref<8x8xf32>
      %v59 = affine.load %s[0] : memref<8xf32>
      affine.store %v59, %s[1] : memref<8xf32>
      %v60 = affine.load %O[7 - %i, %j] : memref<8x8xf32>
      affine.store %v60, %s[0] : memref<8xf32>
      %v61 = affine.load %s[2] : memref<8xf32>
      affine.store %v61, %s[3] : memref<8xf32>
      %v62 = affine.load %V[7 - %i, %j] : memref<8x8xf32>
      affine.store %v62, %s[2] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v63 = affine.load %U[%i, %j] : memref<8x8xf32>
      %v64 = affine.load %V[%i, %j] : memref<8x8xf32>
      %v65 = arith.addf %v63, %v64 : f32
      %v66 = arith.mulf %half, %v65 : f32
      affine.store %v66, %O[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// floyd-warshall: each step needs the paths of the one before it
// CHECK-LABEL: @floyd_warshall
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @floyd_warshall(%P: memref<8x8xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?, 0, ?) from the iteration that reads it}}
  affine.for %k = 0 to 8 {
    // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (0, ?) from the iteration that reads it}}
    affine.for %i = 0 to 8 {
      // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?) from the iteration that reads it}}
      affine.for %j = 0 to 8 {
        %v1 = affine.load %P[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %P[%i, %k] : memref<8x8xf32>
        %v3 = affine.load %P[%k, %j] : memref<8x8xf32>
        %v4 = arith.addf %v2, %v3 : f32
        %v5 = arith.cmpf olt, %v1, %v4 : f32
        %v6 = arith.select %v5, %v1, %v4 : f32
        affine.store %v6, %P[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// nussinov: each element needs those below and left of it. i runs backwards, as 7 - i
// CHECK-LABEL: @nussinov
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @nussinov(%q: memref<8xf32> {llvm.noalias}, %T: memref<8x8xf32> {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{is not raised: requires stores without conditions}}
  affine.for %i = 0 to 8 {
    // expected-remark @below {{is not raised: requires stores without conditions}}
    affine.for %j = affine_map<(i) -> (8 - i)>(%i) to 8 {
      %v1 = affine.load %T[7 - %i, %j] : memref<8x8xf32>
      %v2 = affine.load %T[7 - %i, %j - 1] : memref<8x8xf32>
      %v3 = arith.cmpf oge, %v1, %v2 : f32
      %v4 = arith.select %v3, %v1, %v2 : f32
      affine.store %v4, %T[7 - %i, %j] : memref<8x8xf32>
      %v5 = affine.load %T[7 - %i, %j] : memref<8x8xf32>
      %v6 = affine.load %T[8 - %i, %j] : memref<8x8xf32>
      %v7 = arith.cmpf oge, %v5, %v6 : f32
      %v8 = arith.select %v7, %v5, %v6 : f32
      affine.store %v8, %T[7 - %i, %j] : memref<8x8xf32>
      affine.if affine_set<(i, j) : (i + j - 9 >= 0)>(%i, %j) {
        %v9 = affine.load %T[7 - %i, %j] : memref<8x8xf32>
        %v10 = affine.load %T[8 - %i, %j - 1] : memref<8x8xf32>
        %v11 = affine.load %q[7 - %i] : memref<8xf32>
        %v12 = affine.load %q[%j] : memref<8xf32>
        %v13 = arith.addf %v11, %v12 : f32
        %v14 = arith.cmpf oeq, %v13, %one : f32
        %v15 = arith.select %v14, %one, %zero : f32
        %v16 = arith.addf %v10, %v15 : f32
        %v17 = arith.cmpf oge, %v9, %v16 : f32
        %v18 = arith.select %v17, %v9, %v16 : f32
        affine.store %v18, %T[7 - %i, %j] : memref<8x8xf32>
      } else {
        %v19 = affine.load %T[7 - %i, %j] : memref<8x8xf32>
        %v20 = affine.load %T[8 - %i, %j - 1] : memref<8x8xf32>
        %v21 = arith.cmpf oge, %v19, %v20 : f32
        %v22 = arith.select %v21, %v19, %v20 : f32
        affine.store %v22, %T[7 - %i, %j] : memref<8x8xf32>
      }
      // expected-remark @below {{is not raised: requires that iterations do not depend on each other, but an element of memref<8x8xf32> (an argument) is written at distance (?) from the iteration that reads it}}
      affine.for %k = affine_map<(i) -> (8 - i)>(%i) to affine_map<(j) -> (j)>(%j) {
        %v23 = affine.load %T[7 - %i, %j] : memref<8x8xf32>
        %v24 = affine.load %T[7 - %i, %k] : memref<8x8xf32>
        %v25 = affine.load %T[%k + 1, %j] : memref<8x8xf32>
        %v26 = arith.addf %v24, %v25 : f32
        %v27 = arith.cmpf oge, %v23, %v26 : f32
        %v28 = arith.select %v27, %v23, %v26 : f32
        affine.store %v28, %T[7 - %i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// adi: sweeps along columns and rows; each element needs the one before it
// CHECK-LABEL: @adi
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @adi(%u: memref<8x8xf32> {llvm.noalias}, %v: memref<8x8xf32> {llvm.noalias}, %p: memref<8x8xf32> {llvm.noalias}, %q: memref<8x8xf32> {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<8x8xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %t = 0 to 3 {
    // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines none with them}}
    affine.for %i = 1 to 7 {
      affine.store %one, %v[0, %i] : memref<8x8xf32>
      affine.store %zero, %p[%i, 0] : memref<8x8xf32>
      %v1 = affine.load %v[0, %i] : memref<8x8xf32>
      affine.store %v1, %q[%i, 0] : memref<8x8xf32>
      // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines none with them}}
      affine.for %j = 1 to 7 {
        %v2 = affine.load %p[%i, %j - 1] : memref<8x8xf32>
        %v3 = arith.mulf %half, %v2 : f32
        %v4 = arith.subf %two, %v3 : f32
        %v5 = arith.divf %half, %v4 : f32
        affine.store %v5, %p[%i, %j] : memref<8x8xf32>
        %v6 = affine.load %u[%j, %i - 1] : memref<8x8xf32>
        %v7 = arith.mulf %half, %v6 : f32
        %v8 = affine.load %u[%j, %i] : memref<8x8xf32>
        %v9 = arith.mulf %half, %v8 : f32
        %v10 = arith.addf %v7, %v9 : f32
        %v11 = affine.load %u[%j, %i + 1] : memref<8x8xf32>
        %v12 = arith.mulf %half, %v11 : f32
        %v13 = arith.addf %v10, %v12 : f32
        %v14 = affine.load %q[%i, %j - 1] : memref<8x8xf32>
        %v15 = arith.mulf %half, %v14 : f32
        %v16 = arith.addf %v13, %v15 : f32
        %v17 = affine.load %p[%i, %j - 1] : memref<8x8xf32>
        %v18 = arith.mulf %half, %v17 : f32
        %v19 = arith.subf %two, %v18 : f32
        %v20 = arith.divf %v16, %v19 : f32
        affine.store %v20, %q[%i, %j] : memref<8x8xf32>
      }
      affine.store %one, %v[7, %i] : memref<8x8xf32>
      // expected-remark @below {{is not raised: requires an index of each loop with dynamic bounds alone}}
      affine.for %j = 1 to 7 {
        %v21 = affine.load %p[%i, 7 - %j] : memref<8x8xf32>
        %v22 = affine.load %v[8 - %j, %i] : memref<8x8xf32>
        %v23 = arith.mulf %v21, %v22 : f32
        %v24 = affine.load %q[%i, 7 - %j] : memref<8x8xf32>
        %v25 = arith.addf %v23, %v24 : f32
        affine.store %v25, %v[7 - %j, %i] : memref<8x8xf32>
      }
    }
    // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines none with them}}
    affine.for %i = 1 to 7 {
      affine.store %one, %u[%i, 0] : memref<8x8xf32>
      affine.store %zero, %p[%i, 0] : memref<8x8xf32>
      %v26 = affine.load %u[%i, 0] : memref<8x8xf32>
      affine.store %v26, %q[%i, 0] : memref<8x8xf32>
      // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines none with them}}
      affine.for %j = 1 to 7 {
        %v27 = affine.load %p[%i, %j - 1] : memref<8x8xf32>
        %v28 = arith.mulf %half, %v27 : f32
        %v29 = arith.subf %two, %v28 : f32
        %v30 = arith.divf %half, %v29 : f32
        affine.store %v30, %p[%i, %j] : memref<8x8xf32>
        %v31 = affine.load %v[%i - 1, %j] : memref<8x8xf32>
        %v32 = arith.mulf %half, %v31 : f32
        %v33 = affine.load %v[%i, %j] : memref<8x8xf32>
        %v34 = arith.mulf %half, %v33 : f32
        %v35 = arith.addf %v32, %v34 : f32
        %v36 = affine.load %v[%i + 1, %j] : memref<8x8xf32>
        %v37 = arith.mulf %half, %v36 : f32
        %v38 = arith.addf %v35, %v37 : f32
        %v39 = affine.load %q[%i, %j - 1] : memref<8x8xf32>
        %v40 = arith.mulf %half, %v39 : f32
        %v41 = arith.addf %v38, %v40 : f32
        %v42 = affine.load %p[%i, %j - 1] : memref<8x8xf32>
        %v43 = arith.mulf %half, %v42 : f32
        %v44 = arith.subf %two, %v43 : f32
        %v45 = arith.divf %v41, %v44 : f32
        affine.store %v45, %q[%i, %j] : memref<8x8xf32>
      }
      affine.store %one, %u[%i, 7] : memref<8x8xf32>
      // expected-remark @below {{is not raised: requires an index of each loop with dynamic bounds alone}}
      affine.for %j = 1 to 7 {
        %v46 = affine.load %p[%i, 7 - %j] : memref<8x8xf32>
        %v47 = affine.load %u[%i, 8 - %j] : memref<8x8xf32>
        %v48 = arith.mulf %v46, %v47 : f32
        %v49 = affine.load %q[%i, 7 - %j] : memref<8x8xf32>
        %v50 = arith.addf %v48, %v49 : f32
        affine.store %v50, %u[%i, 7 - %j] : memref<8x8xf32>
      }
    }
  }
  return
}
