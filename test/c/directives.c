// A directive promises that arrays do not overlap and that the order does not matter, and is compared with what is raised.
// RUN: mdh compile %s --emit hom -- -O1 | FileCheck %s --implicit-check-not=mdh.directive --implicit-check-not=ordered
// RUN: mdh cc -O2 -DMAIN -Wall -Wno-unknown-pragmas %s -o %t -lm && %t
// RUN: mdh cc -O2 -c %s -o %t.o --mdh-required -Rpass=mdh 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %prefix/bin/clang -O2 -DMAIN -Wno-unknown-pragmas %s -o %t.clang -lm && %t.clang
#ifdef MAIN
#include <assert.h>
#endif

// Without the directive, the pointers would be compared, and the sum would be ordered.
// CHECK-LABEL: func.func {{.*}}@gemm_nest({{.*}}llvm.noalias{{.*}}llvm.noalias{{.*}}llvm.noalias
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>] attributes {mdh.contract = true, mdh.raised} {
// REMARK: directives.c:[[#@LINE+2]]:{{.*}}remark: is raised: #mdh.cc, #mdh.cc, #mdh.pw<[add]>
void gemm(int n, int m, int p, double C[n][m], double A[n][p], double B[p][m]) {
#pragma mdh(C[i][j] : ++, ++, +)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j];
}

// A scalar, a macro, a maximum of integers, and loops in one line.
// CHECK-LABEL: func.func {{.*}}@largest_nest(
// CHECK: combine [#mdh.pw<@combine_i32>, #mdh.pw<@combine_i32>]
#define EACH(i, n) _Pragma("mdh(most : max, max)") for (int i = 0; i < n; i++)
int largest(int n, int A[n][n]) {
  int most = -1;
  EACH(i, n) for (int j = 0; j < n; j++) most = A[i][j] > most ? A[i][j] : most;
  return most;
}

// A function of the program, and the one of math.h.
// CHECK-LABEL: func.func {{.*}}@least_nest
// CHECK: combine [#mdh.pw<@{{.*}}>]
static float lesser(float a, float b) { return a < b ? a : b; }
float least(int n, const float *x) {
  float least = 1e30f;
#pragma mdh(least : min)
  for (int i = 0; i < n; i++) least = lesser(least, x[i]);
  return least;
}

// Two outputs in one loop.
// CHECK-LABEL: func.func {{.*}}@both_nest
void both(int n, int *y, unsigned *bits, int A[n][n]) {
#pragma mdh(y[i], bits[i] : ++, +)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] += A[i][j], bits[i] += (unsigned)A[i][j] * 3;
}

// A flat array; the loop around is not part of the nest.
// CHECK-LABEL: func.func {{.*}}@rows_nest
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>]
void rows(int t, int n, float *sums, float *flat, const float *x) {
  for (int s = 0; s < t; s++) {
#pragma mdh(flat[i * n + j] : ++, ++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) flat[i * n + j] = x[i * n + j] * (float)s;
#pragma mdh(sums[i] : ++, +)
    for (int i = 0; i < n; i++) {
      sums[i] = 0;
      for (int j = 0; j < n; j++) sums[i] += flat[i * n + j];
    }
  }
}

// Running sums.
// CHECK-LABEL: func.func {{.*}}@running_nest
// CHECK: combine [#mdh.ps<[add]>]
void running(int n, int *y, const int *x) {
  y[0] = x[0];
#pragma mdh(y[i] : ps(+))
  for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i];
}

#ifdef MAIN
int main(void) {
  enum { N = 21 };
  static double C[N][N], A[N][N], B[N][N];
  static int I[N][N], r[N], s[N];
  static float x[N * N], flat[N * N], sums[N];
  for (int i = 0; i < N; i++) {
    s[i] = i;
    for (int j = 0; j < N; j++) {
      A[i][j] = i - j, B[i][j] = i + 2 * j, C[i][j] = 1, I[i][j] = i * j % 19, x[i * N + j] = (float)(i + j);
    }
  }
  gemm(N, N, N, C, A, B);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 1;
      for (int k = 0; k < N; k++) sum += A[i][k] * B[k][j];
      assert(C[i][j] == sum);
    }
  assert(largest(N, I) == 18);
  rows(3, N, sums, flat, x);
  for (int i = 0; i < N; i++) assert(sums[i] == 2.0f * (float)(N * i + N * (N - 1) / 2));
  assert(least(N, x) == 0);
  both(N, r, (unsigned *)s, I);
  for (int i = 0; i < N; i++) r[i] = 0, s[i] = i;
  running(N, r, s);
  assert(r[N - 1] == N * (N - 1) / 2);
  return 0;
}
#endif
