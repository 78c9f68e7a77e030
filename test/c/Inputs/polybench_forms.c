// The kernels of PolyBench/C 4.2.1, written anew: their prototypes, and macros for three forms of arrays.
//
// FORM       0: extents are the constant N_STATIC, 1: extents are parameters (VLA), 2: flat, with one dimension.
// RESTRICT   the qualifier of array parameters: `restrict`, or nothing for kernels whose arrays may overlap.
// N_STATIC   each extent of each array in form 0; the bounds of loops are parameters in all forms.
#ifndef POLYBENCH_H
#define POLYBENCH_H

#ifndef FORM
#define FORM 0
#endif
#ifndef RESTRICT
#define RESTRICT restrict
#endif
#ifndef N_STATIC
#define N_STATIC 24
#endif

// *_OF: a parameter. AT*: an element. LOCAL: a local array. STRIDE: the distance of rows with m elements.
// AS_*: a pointer to elements as an argument for a parameter.
#if FORM == 0
#define VECTOR_OF(type, A, n) type A[RESTRICT N_STATIC]
#define MATRIX_OF(type, A, n, m) type A[RESTRICT N_STATIC][N_STATIC]
#define CUBE_OF(type, A, n, m, o) type A[RESTRICT N_STATIC][N_STATIC][N_STATIC]
#define LOCAL(A, n) double A[N_STATIC]
#define STRIDE(m) N_STATIC
#define AS_MATRIX_OF(type, p, m) ((type(*)[N_STATIC])(p))
#define AS_CUBE_OF(type, p, m, o) ((type(*)[N_STATIC][N_STATIC])(p))
#elif FORM == 1
#define VECTOR_OF(type, A, n) type A[RESTRICT n]
#define MATRIX_OF(type, A, n, m) type A[RESTRICT n][m]
#define CUBE_OF(type, A, n, m, o) type A[RESTRICT n][m][o]
#define LOCAL(A, n) double A[n]
#define STRIDE(m) (m)
#define AS_MATRIX_OF(type, p, m) ((type(*)[m])(p))
#define AS_CUBE_OF(type, p, m, o) ((type(*)[m][o])(p))
#elif FORM == 2
#define VECTOR_OF(type, A, n) type *RESTRICT A
#define MATRIX_OF(type, A, n, m) type *RESTRICT A
#define CUBE_OF(type, A, n, m, o) type *RESTRICT A
#define LOCAL(A, n) double A[n]
#define STRIDE(m) (m)
#define AS_MATRIX_OF(type, p, m) (p)
#define AS_CUBE_OF(type, p, m, o) (p)
#else
#error "FORM is 0, 1 or 2"
#endif

#define AT1(A, i) A[i]
#if FORM == 2
#define AT2(A, i, j, m) A[(i) * (m) + (j)]
#define AT3(A, i, j, k, m, o) A[((i) * (m) + (j)) * (o) + (k)]
#else
#define AT2(A, i, j, m) A[i][j]
#define AT3(A, i, j, k, m, o) A[i][j][k]
#endif

#define VECTOR(A, n) VECTOR_OF(double, A, n)
#define MATRIX(A, n, m) MATRIX_OF(double, A, n, m)
#define CUBE(A, n, m, o) CUBE_OF(double, A, n, m, o)

// Linear algebra: products
void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, MATRIX(tmp, ni, nj), MATRIX(A, ni, nk),
                MATRIX(B, nk, nj), MATRIX(C, nj, nl), MATRIX(D, ni, nl));
void kernel_3mm(int ni, int nj, int nk, int nl, int nm, MATRIX(E, ni, nj), MATRIX(A, ni, nk), MATRIX(B, nk, nj),
                MATRIX(F, nj, nl), MATRIX(C, nj, nm), MATRIX(D, nm, nl), MATRIX(G, ni, nl));
void kernel_atax(int m, int n, MATRIX(A, m, n), VECTOR(x, n), VECTOR(y, n), VECTOR(tmp, m));
void kernel_bicg(int m, int n, MATRIX(A, n, m), VECTOR(s, m), VECTOR(q, n), VECTOR(p, m), VECTOR(r, n));
void kernel_doitgen(int nr, int nq, int np, CUBE(A, nr, nq, np), MATRIX(C4, np, np), VECTOR(sum, np));
void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, MATRIX(C, ni, nj), MATRIX(A, ni, nk),
                 MATRIX(B, nk, nj));
void kernel_gemver(int n, double alpha, double beta, MATRIX(A, n, n), VECTOR(u1, n), VECTOR(v1, n), VECTOR(u2, n),
                   VECTOR(v2, n), VECTOR(w, n), VECTOR(x, n), VECTOR(y, n), VECTOR(z, n));
void kernel_gesummv(int n, double alpha, double beta, MATRIX(A, n, n), MATRIX(B, n, n), VECTOR(tmp, n), VECTOR(x, n),
                    VECTOR(y, n));
void kernel_mvt(int n, VECTOR(x1, n), VECTOR(x2, n), VECTOR(y_1, n), VECTOR(y_2, n), MATRIX(A, n, n));
void kernel_symm(int m, int n, double alpha, double beta, MATRIX(C, m, n), MATRIX(A, m, m), MATRIX(B, m, n));
void kernel_syr2k(int n, int m, double alpha, double beta, MATRIX(C, n, n), MATRIX(A, n, m), MATRIX(B, n, m));
void kernel_syrk(int n, int m, double alpha, double beta, MATRIX(C, n, n), MATRIX(A, n, m));
void kernel_trmm(int m, int n, double alpha, MATRIX(A, m, m), MATRIX(B, m, n));

// Linear algebra: solvers
void kernel_cholesky(int n, MATRIX(A, n, n));
void kernel_durbin(int n, VECTOR(r, n), VECTOR(y, n));
void kernel_gramschmidt(int m, int n, MATRIX(A, m, n), MATRIX(R, n, n), MATRIX(Q, m, n));
void kernel_lu(int n, MATRIX(A, n, n));
void kernel_ludcmp(int n, MATRIX(A, n, n), VECTOR(b, n), VECTOR(x, n), VECTOR(y, n));
void kernel_trisolv(int n, MATRIX(L, n, n), VECTOR(x, n), VECTOR(b, n));

// Data mining
void kernel_correlation(int m, int n, double float_n, MATRIX(data, n, m), MATRIX(corr, m, m), VECTOR(mean, m),
                        VECTOR(stddev, m));
void kernel_covariance(int m, int n, double float_n, MATRIX(data, n, m), MATRIX(cov, m, m), VECTOR(mean, m));

// Medley
void kernel_deriche(int w, int h, double alpha, MATRIX(imgIn, w, h), MATRIX(imgOut, w, h), MATRIX(y1, w, h),
                    MATRIX(y2, w, h));
void kernel_floyd_warshall(int n, MATRIX_OF(int, path, n, n));
void kernel_nussinov(int n, VECTOR_OF(char, seq, n), MATRIX_OF(int, table, n, n));

// Stencils
void kernel_adi(int tsteps, int n, MATRIX(u, n, n), MATRIX(v, n, n), MATRIX(p, n, n), MATRIX(q, n, n));
void kernel_fdtd_2d(int tmax, int nx, int ny, MATRIX(ex, nx, ny), MATRIX(ey, nx, ny), MATRIX(hz, nx, ny),
                    VECTOR(fict, tmax));
void kernel_heat_3d(int tsteps, int n, CUBE(A, n, n, n), CUBE(B, n, n, n));
void kernel_jacobi_1d(int tsteps, int n, VECTOR(A, n), VECTOR(B, n));
void kernel_jacobi_2d(int tsteps, int n, MATRIX(A, n, n), MATRIX(B, n, n));
void kernel_seidel_2d(int tsteps, int n, MATRIX(A, n, n));

#endif
