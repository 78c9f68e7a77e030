// Loops that do not run access no memory: a reduction begins with an element only where its loops run.
// RUN: mdh cc -O2 -c %s -o %t.o -Rpass=mdh --mdh-least-points=0 2>&1 | FileCheck %s
// RUN: %prefix/bin/clang -DMAIN %s %t.o -o %t.program
// RUN: %t.program | FileCheck %s --check-prefix=OUTPUT
// RUN: mdh cc -O2 -c %s -o %t.o
// RUN: %prefix/bin/clang -DMAIN %s %t.o -o %t.program
// RUN: %t.program | FileCheck %s --check-prefix=OUTPUT
// CHECK-COUNT-4: remark: is raised
// OUTPUT: 3 6 3 2
#include <stdio.h>
#ifdef MAIN
void total(int n, double *restrict s, const double *restrict x);
void rows(int n, int m, double *restrict y, const double *restrict x);
void largest(int n, int *restrict s, int *restrict t, const int *restrict x);
void count(long n, long m, long *restrict s, const long *restrict x);
int main(void) {
  double s = 0, y[2] = {0, 0}, x[2] = {1, 2};
  int most = 0, least = 0, z[2] = {3, 2};
  total(0, NULL, NULL), rows(1000, 0, NULL, NULL), rows(0, 1000, NULL, NULL), largest(0, NULL, NULL, NULL);
  count(0, 9, NULL, NULL), count(9, 0, NULL, NULL);
  total(2, &s, x), rows(2, 2, y, x), largest(2, &most, &least, z);
  printf("%g %g %d %d\n", s, y[0] + y[1], most, least + 2);
}
#else
void total(int n, double *restrict s, const double *restrict x) {
  for (int i = 0; i < n; i++) s[0] += x[i];
}
void rows(int n, int m, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i] += x[j];
}
void largest(int n, int *restrict s, int *restrict t, const int *restrict x) {
  for (int i = 0; i < n; i++) {
    *s = x[i] > *s ? x[i] : *s;
    *t = x[i] < *t ? x[i] : *t;
  }
}
void count(long n, long m, long *restrict s, const long *restrict x) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) *s += x[i] + j;
}
#endif
