// A function of Fortran, as flang compiles it (Inputs/gemm.ll, of examples/fortran/gemm.f90): counters of i32 that rise beside ones of
// i64 that fall, arrays with the first index innermost, and arguments that do not overlap.
// RUN: mdh compile %S/Inputs/gemm.ll --emit hom | FileCheck %s
// RUN: mdh compile %S/Inputs/gemm.ll --emit object -o %t.o
// RUN: %prefix/bin/clang -O2 %s %t.o -o %t -lm && %t
// CHECK-LABEL: func.func {{.*}}@gemm__nest
// CHECK: combine [#mdh.cc, #mdh.pw<[add]>, #mdh.cc] attributes {mdh.contract = true, mdh.raised, ordered}
#include <assert.h>
#include <math.h>

void gemm_(int *n, int *m, int *p, double *c, double *a, double *b);

static void check(int n, int m, int p) {
  static double a[4096], b[4096], c[4096];
  for (int i = 0; i < 4096; i++) a[i] = i % 7, b[i] = i % 5, c[i] = i;
  gemm_(&n, &m, &p, c, a, b);
  for (int i = 0; i < 4096; i++) {
    double sum = i;
    for (int k = 0; k < p && i < n * m; k++) sum += a[k * n + i % n] * b[i / n * p + k];
    assert(c[i] == sum);
  }
}

int main(void) {
  check(20, 30, 40);
  check(1, 1, 1);
  check(64, 64, 64);
  check(7, 0, 3);
  check(0, 5, 3);
  check(-1, 5, 3);
  check(33, 17, 5);
  return 0;
}
