// Kernels of PolyBench 4.2 (Pouchet and Yuki), written anew as affine nests: what is raised, and what stays.
// RUN: mdh-opt %s --mdh-raise | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 8 8x8 8x8x8 8 8x8
// RUN: %against-numpy mdh run %s --function gemm --input %t1.npy --input %t4.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function two_mm --input %t1.npy --input %t4.npy --input %t1.npy --input %t4.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function atax --input %t1.npy --input %t3.npy --input %t0.npy --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function bicg --input %t1.npy --input %t3.npy --input %t0.npy --input %t3.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function mvt --input %t1.npy --input %t3.npy --input %t0.npy --input %t3.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function gesummv --input %t1.npy --input %t4.npy --input %t0.npy --input %t3.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function gemver --input %t1.npy --input %t3.npy --input %t0.npy --input %t3.npy --input %t0.npy --input %t3.npy --input %t0.npy --input %t3.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function doitgen --input %t2.npy --input %t4.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function covariance --input %t1.npy --input %t3.npy --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function jacobi_2d --input %t1.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function fdtd_2d --input %t1.npy --input %t4.npy --input %t1.npy --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function seidel_2d --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function trmm --input %t1.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function syrk --input %t1.npy --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function trisolv --input %t4.npy --input %t3.npy --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function lu --input %t1.npy --check

// gemm: C = beta * C + alpha * A * B
// CHECK-LABEL: @gemm
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @gemm(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v1 = affine.load %C[%i, %j] : memref<8x8xf32>
      %v2 = arith.mulf %v1, %beta : f32
      affine.store %v2, %C[%i, %j] : memref<8x8xf32>
    }
    affine.for %k = 0 to 8 {
      affine.for %j = 0 to 8 {
        %v3 = affine.load %C[%i, %j] : memref<8x8xf32>
        %v4 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v5 = arith.mulf %alpha, %v4 : f32
        %v6 = affine.load %B[%k, %j] : memref<8x8xf32>
        %v7 = arith.mulf %v5, %v6 : f32
        %v8 = arith.addf %v3, %v7 : f32
        affine.store %v8, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// 2mm: D = beta * D + alpha * A * B * C
// CHECK-LABEL: @two_mm
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @two_mm(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}, %D: memref<8x8xf32> {llvm.noalias}, %T: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %T[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v1 = affine.load %T[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v3 = arith.mulf %alpha, %v2 : f32
        %v4 = affine.load %B[%k, %j] : memref<8x8xf32>
        %v5 = arith.mulf %v3, %v4 : f32
        %v6 = arith.addf %v1, %v5 : f32
        affine.store %v6, %T[%i, %j] : memref<8x8xf32>
      }
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v7 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v8 = arith.mulf %v7, %beta : f32
      affine.store %v8, %D[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v9 = affine.load %D[%i, %j] : memref<8x8xf32>
        %v10 = affine.load %T[%i, %k] : memref<8x8xf32>
        %v11 = affine.load %C[%k, %j] : memref<8x8xf32>
        %v12 = arith.mulf %v10, %v11 : f32
        %v13 = arith.addf %v9, %v12 : f32
        affine.store %v13, %D[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// atax: y = A^T (A x)
// CHECK-LABEL: @atax
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @atax(%A: memref<8x8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %t: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.store %zero, %y[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.store %zero, %t[%i] : memref<8xf32>
    affine.for %j = 0 to 8 {
      %v1 = affine.load %t[%i] : memref<8xf32>
      %v2 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v3 = affine.load %x[%j] : memref<8xf32>
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.addf %v1, %v4 : f32
      affine.store %v5, %t[%i] : memref<8xf32>
    }
    affine.for %j = 0 to 8 {
      %v6 = affine.load %y[%j] : memref<8xf32>
      %v7 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v8 = affine.load %t[%i] : memref<8xf32>
      %v9 = arith.mulf %v7, %v8 : f32
      %v10 = arith.addf %v6, %v9 : f32
      affine.store %v10, %y[%j] : memref<8xf32>
    }
  }
  return
}

// bicg: two products in one nest
// CHECK-LABEL: @bicg
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @bicg(%A: memref<8x8xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias}, %q: memref<8xf32> {llvm.noalias}, %p: memref<8xf32> {llvm.noalias}, %r: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.store %zero, %s[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.store %zero, %q[%i] : memref<8xf32>
    affine.for %j = 0 to 8 {
      %v1 = affine.load %s[%j] : memref<8xf32>
      %v2 = affine.load %r[%i] : memref<8xf32>
      %v3 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.addf %v1, %v4 : f32
      affine.store %v5, %s[%j] : memref<8xf32>
      %v6 = affine.load %q[%i] : memref<8xf32>
      %v7 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v8 = affine.load %p[%j] : memref<8xf32>
      %v9 = arith.mulf %v7, %v8 : f32
      %v10 = arith.addf %v6, %v9 : f32
      affine.store %v10, %q[%i] : memref<8xf32>
    }
  }
  return
}

// mvt: products with a matrix and its transpose
// CHECK-LABEL: @mvt
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @mvt(%A: memref<8x8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %u: memref<8xf32> {llvm.noalias}, %v: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v1 = affine.load %x[%i] : memref<8xf32>
      %v2 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v3 = affine.load %u[%j] : memref<8xf32>
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.addf %v1, %v4 : f32
      affine.store %v5, %x[%i] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v6 = affine.load %y[%i] : memref<8xf32>
      %v7 = affine.load %A[%j, %i] : memref<8x8xf32>
      %v8 = affine.load %v[%j] : memref<8xf32>
      %v9 = arith.mulf %v7, %v8 : f32
      %v10 = arith.addf %v6, %v9 : f32
      affine.store %v10, %y[%i] : memref<8xf32>
    }
  }
  return
}

// gesummv: y = alpha * A * x + beta * B * x
// CHECK-LABEL: @gesummv
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @gesummv(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}, %t: memref<8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.store %zero, %t[%i] : memref<8xf32>
    affine.store %zero, %y[%i] : memref<8xf32>
    affine.for %j = 0 to 8 {
      %v1 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v2 = affine.load %x[%j] : memref<8xf32>
      %v3 = arith.mulf %v1, %v2 : f32
      %v4 = affine.load %t[%i] : memref<8xf32>
      %v5 = arith.addf %v3, %v4 : f32
      affine.store %v5, %t[%i] : memref<8xf32>
      %v6 = affine.load %B[%i, %j] : memref<8x8xf32>
      %v7 = affine.load %x[%j] : memref<8xf32>
      %v8 = arith.mulf %v6, %v7 : f32
      %v9 = affine.load %y[%i] : memref<8xf32>
      %v10 = arith.addf %v8, %v9 : f32
      affine.store %v10, %y[%i] : memref<8xf32>
    }
    %v11 = affine.load %t[%i] : memref<8xf32>
    %v12 = arith.mulf %alpha, %v11 : f32
    %v13 = affine.load %y[%i] : memref<8xf32>
    %v14 = arith.mulf %beta, %v13 : f32
    %v15 = arith.addf %v12, %v14 : f32
    affine.store %v15, %y[%i] : memref<8xf32>
  }
  return
}

// gemver: a rank-2 update and two products
// CHECK-LABEL: @gemver
// CHECK-COUNT-4: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @gemver(%A: memref<8x8xf32> {llvm.noalias}, %u: memref<8xf32> {llvm.noalias}, %v: memref<8xf32> {llvm.noalias}, %a: memref<8xf32> {llvm.noalias}, %b: memref<8xf32> {llvm.noalias}, %w: memref<8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %z: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v1 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v2 = affine.load %u[%i] : memref<8xf32>
      %v3 = affine.load %v[%j] : memref<8xf32>
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.addf %v1, %v4 : f32
      %v6 = affine.load %a[%i] : memref<8xf32>
      %v7 = affine.load %b[%j] : memref<8xf32>
      %v8 = arith.mulf %v6, %v7 : f32
      %v9 = arith.addf %v5, %v8 : f32
      affine.store %v9, %A[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v10 = affine.load %x[%i] : memref<8xf32>
      %v11 = affine.load %A[%j, %i] : memref<8x8xf32>
      %v12 = arith.mulf %beta, %v11 : f32
      %v13 = affine.load %y[%j] : memref<8xf32>
      %v14 = arith.mulf %v12, %v13 : f32
      %v15 = arith.addf %v10, %v14 : f32
      affine.store %v15, %x[%i] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    %v16 = affine.load %x[%i] : memref<8xf32>
    %v17 = affine.load %z[%i] : memref<8xf32>
    %v18 = arith.addf %v16, %v17 : f32
    affine.store %v18, %x[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v19 = affine.load %w[%i] : memref<8xf32>
      %v20 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v21 = arith.mulf %alpha, %v20 : f32
      %v22 = affine.load %x[%j] : memref<8xf32>
      %v23 = arith.mulf %v21, %v22 : f32
      %v24 = arith.addf %v19, %v23 : f32
      affine.store %v24, %w[%i] : memref<8xf32>
    }
  }
  return
}

// doitgen: the loops over r and q stay, because they share the sums
// CHECK-LABEL: @doitgen
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK:       return
func.func @doitgen(%A: memref<8x8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %r = 0 to 8 {
    affine.for %q = 0 to 8 {
      affine.for %p = 0 to 8 {
        affine.store %zero, %s[%p] : memref<8xf32>
        affine.for %t = 0 to 8 {
          %v1 = affine.load %s[%p] : memref<8xf32>
          %v2 = affine.load %A[%r, %q, %t] : memref<8x8x8xf32>
          %v3 = affine.load %C[%t, %p] : memref<8x8xf32>
          %v4 = arith.mulf %v2, %v3 : f32
          %v5 = arith.addf %v1, %v4 : f32
          affine.store %v5, %s[%p] : memref<8xf32>
        }
      }
      affine.for %p = 0 to 8 {
        %v6 = affine.load %s[%p] : memref<8xf32>
        affine.store %v6, %A[%r, %q, %p] : memref<8x8x8xf32>
      }
    }
  }
  return
}

// covariance: means, differences and products; the triangle stays, the sums in it are raised
// CHECK-LABEL: @covariance
// CHECK-COUNT-4: mdh.hom.md_hom
// CHECK:       return
func.func @covariance(%D: memref<8x8xf32> {llvm.noalias}, %m: memref<8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %j = 0 to 8 {
    affine.store %zero, %m[%j] : memref<8xf32>
    affine.for %i = 0 to 8 {
      %v1 = affine.load %m[%j] : memref<8xf32>
      %v2 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v3 = arith.addf %v1, %v2 : f32
      affine.store %v3, %m[%j] : memref<8xf32>
    }
    %v4 = affine.load %m[%j] : memref<8xf32>
    %v5 = arith.mulf %v4, %beta : f32
    affine.store %v5, %m[%j] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v6 = affine.load %D[%i, %j] : memref<8x8xf32>
      %v7 = affine.load %m[%j] : memref<8xf32>
      %v8 = arith.subf %v6, %v7 : f32
      affine.store %v8, %D[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = affine_map<(i) -> (i)>(%i) to 8 {
      affine.store %zero, %C[%i, %j] : memref<8x8xf32>
      affine.for %k = 0 to 8 {
        %v9 = affine.load %C[%i, %j] : memref<8x8xf32>
        %v10 = affine.load %D[%k, %i] : memref<8x8xf32>
        %v11 = affine.load %D[%k, %j] : memref<8x8xf32>
        %v12 = arith.mulf %v10, %v11 : f32
        %v13 = arith.addf %v9, %v12 : f32
        affine.store %v13, %C[%i, %j] : memref<8x8xf32>
      }
      %v14 = affine.load %C[%i, %j] : memref<8x8xf32>
      %v15 = arith.mulf %v14, %beta : f32
      affine.store %v15, %C[%i, %j] : memref<8x8xf32>
      %v16 = affine.load %C[%i, %j] : memref<8x8xf32>
      affine.store %v16, %C[%j, %i] : memref<8x8xf32>
    }
  }
  return
}

// jacobi-2d: the loop over time steps stays
// CHECK-LABEL: @jacobi_2d
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK:       return
func.func @jacobi_2d(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to 7 {
      affine.for %j = 1 to 7 {
        %v1 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%i, %j - 1] : memref<8x8xf32>
        %v3 = arith.addf %v1, %v2 : f32
        %v4 = affine.load %A[%i, %j + 1] : memref<8x8xf32>
        %v5 = arith.addf %v3, %v4 : f32
        %v6 = affine.load %A[%i + 1, %j] : memref<8x8xf32>
        %v7 = arith.addf %v5, %v6 : f32
        %v8 = affine.load %A[%i - 1, %j] : memref<8x8xf32>
        %v9 = arith.addf %v7, %v8 : f32
        %v10 = arith.mulf %beta, %v9 : f32
        affine.store %v10, %B[%i, %j] : memref<8x8xf32>
      }
    }
    affine.for %i = 1 to 7 {
      affine.for %j = 1 to 7 {
        %v11 = affine.load %B[%i, %j] : memref<8x8xf32>
        %v12 = affine.load %B[%i, %j - 1] : memref<8x8xf32>
        %v13 = arith.addf %v11, %v12 : f32
        %v14 = affine.load %B[%i, %j + 1] : memref<8x8xf32>
        %v15 = arith.addf %v13, %v14 : f32
        %v16 = affine.load %B[%i + 1, %j] : memref<8x8xf32>
        %v17 = arith.addf %v15, %v16 : f32
        %v18 = affine.load %B[%i - 1, %j] : memref<8x8xf32>
        %v19 = arith.addf %v17, %v18 : f32
        %v20 = arith.mulf %beta, %v19 : f32
        affine.store %v20, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// fdtd-2d: the loop over time steps stays
// CHECK-LABEL: @fdtd_2d
// CHECK-COUNT-4: mdh.hom.md_hom
// CHECK:       return
func.func @fdtd_2d(%X: memref<8x8xf32> {llvm.noalias}, %Y: memref<8x8xf32> {llvm.noalias}, %H: memref<8x8xf32> {llvm.noalias}, %f: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %t = 0 to 3 {
    affine.for %j = 0 to 8 {
      %v1 = affine.load %f[%t] : memref<8xf32>
      affine.store %v1, %Y[0, %j] : memref<8x8xf32>
    }
    affine.for %i = 1 to 8 {
      affine.for %j = 0 to 8 {
        %v2 = affine.load %Y[%i, %j] : memref<8x8xf32>
        %v3 = affine.load %H[%i, %j] : memref<8x8xf32>
        %v4 = affine.load %H[%i - 1, %j] : memref<8x8xf32>
        %v5 = arith.subf %v3, %v4 : f32
        %v6 = arith.mulf %beta, %v5 : f32
        %v7 = arith.subf %v2, %v6 : f32
        affine.store %v7, %Y[%i, %j] : memref<8x8xf32>
      }
    }
    affine.for %i = 0 to 8 {
      affine.for %j = 1 to 8 {
        %v8 = affine.load %X[%i, %j] : memref<8x8xf32>
        %v9 = affine.load %H[%i, %j] : memref<8x8xf32>
        %v10 = affine.load %H[%i, %j - 1] : memref<8x8xf32>
        %v11 = arith.subf %v9, %v10 : f32
        %v12 = arith.mulf %beta, %v11 : f32
        %v13 = arith.subf %v8, %v12 : f32
        affine.store %v13, %X[%i, %j] : memref<8x8xf32>
      }
    }
    affine.for %i = 0 to 7 {
      affine.for %j = 0 to 7 {
        %v14 = affine.load %H[%i, %j] : memref<8x8xf32>
        %v15 = affine.load %X[%i, %j + 1] : memref<8x8xf32>
        %v16 = affine.load %Y[%i + 1, %j] : memref<8x8xf32>
        %v17 = arith.addf %v15, %v16 : f32
        %v18 = affine.load %X[%i, %j] : memref<8x8xf32>
        %v19 = affine.load %Y[%i, %j] : memref<8x8xf32>
        %v20 = arith.addf %v18, %v19 : f32
        %v21 = arith.subf %v17, %v20 : f32
        %v22 = arith.mulf %beta, %v21 : f32
        %v23 = arith.subf %v14, %v22 : f32
        affine.store %v23, %H[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// seidel-2d: each element needs new ones
// CHECK-LABEL: @seidel_2d
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @seidel_2d(%A: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to 7 {
      affine.for %j = 1 to 7 {
        %v1 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%i, %j - 1] : memref<8x8xf32>
        %v3 = arith.addf %v1, %v2 : f32
        %v4 = affine.load %A[%i, %j + 1] : memref<8x8xf32>
        %v5 = arith.addf %v3, %v4 : f32
        %v6 = affine.load %A[%i + 1, %j] : memref<8x8xf32>
        %v7 = arith.addf %v5, %v6 : f32
        %v8 = affine.load %A[%i - 1, %j] : memref<8x8xf32>
        %v9 = arith.addf %v7, %v8 : f32
        %v10 = arith.mulf %beta, %v9 : f32
        affine.store %v10, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// trmm: a triangle; it is not known that the rows that are read are written later
// CHECK-LABEL: @trmm
// CHECK:       return
func.func @trmm(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.for %k = affine_map<(i) -> (i + 1)>(%i) to 8 {
        %v1 = affine.load %B[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%k, %i] : memref<8x8xf32>
        %v3 = affine.load %B[%k, %j] : memref<8x8xf32>
        %v4 = arith.mulf %v2, %v3 : f32
        %v5 = arith.addf %v1, %v4 : f32
        affine.store %v5, %B[%i, %j] : memref<8x8xf32>
      }
      %v6 = affine.load %B[%i, %j] : memref<8x8xf32>
      %v7 = arith.mulf %alpha, %v6 : f32
      affine.store %v7, %B[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// syrk: a triangle stays, its rows are raised
// CHECK-LABEL: @syrk
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK:       return
func.func @syrk(%A: memref<8x8xf32> {llvm.noalias}, %C: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %v1 = affine.load %C[%i, %j] : memref<8x8xf32>
      %v2 = arith.mulf %v1, %beta : f32
      affine.store %v2, %C[%i, %j] : memref<8x8xf32>
    }
    affine.for %k = 0 to 8 {
      affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
        %v3 = affine.load %C[%i, %j] : memref<8x8xf32>
        %v4 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v5 = arith.mulf %alpha, %v4 : f32
        %v6 = affine.load %A[%j, %k] : memref<8x8xf32>
        %v7 = arith.mulf %v5, %v6 : f32
        %v8 = arith.addf %v3, %v7 : f32
        affine.store %v8, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// trisolv: each unknown needs those before it
// CHECK-LABEL: @trisolv
// CHECK:       return
func.func @trisolv(%L: memref<8x8xf32> {llvm.noalias}, %x: memref<8xf32> {llvm.noalias}, %b: memref<8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    %v1 = affine.load %b[%i] : memref<8xf32>
    affine.store %v1, %x[%i] : memref<8xf32>
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %v2 = affine.load %x[%i] : memref<8xf32>
      %v3 = affine.load %L[%i, %j] : memref<8x8xf32>
      %v4 = affine.load %x[%j] : memref<8xf32>
      %v5 = arith.mulf %v3, %v4 : f32
      %v6 = arith.subf %v2, %v5 : f32
      affine.store %v6, %x[%i] : memref<8xf32>
    }
    %v7 = affine.load %x[%i] : memref<8xf32>
    %v8 = affine.load %L[%i, %i] : memref<8x8xf32>
    %v9 = arith.divf %v7, %v8 : f32
    affine.store %v9, %x[%i] : memref<8xf32>
  }
  return
}

// lu: each element needs those before it
// CHECK-LABEL: @lu
// CHECK:       return
func.func @lu(%A: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %v1 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v2 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v3 = affine.load %A[%k, %j] : memref<8x8xf32>
        %v4 = arith.mulf %v2, %v3 : f32
        %v5 = arith.subf %v1, %v4 : f32
        affine.store %v5, %A[%i, %j] : memref<8x8xf32>
      }
      %v6 = affine.load %A[%i, %j] : memref<8x8xf32>
      %v7 = affine.load %A[%j, %j] : memref<8x8xf32>
      %v8 = arith.divf %v6, %v7 : f32
      affine.store %v8, %A[%i, %j] : memref<8x8xf32>
    }
    affine.for %j = affine_map<(i) -> (i)>(%i) to 8 {
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %v9 = affine.load %A[%i, %j] : memref<8x8xf32>
        %v10 = affine.load %A[%i, %k] : memref<8x8xf32>
        %v11 = affine.load %A[%k, %j] : memref<8x8xf32>
        %v12 = arith.mulf %v10, %v11 : f32
        %v13 = arith.subf %v9, %v12 : f32
        affine.store %v13, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}
