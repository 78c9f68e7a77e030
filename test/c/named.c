// Loops of C programs: each is raised, or stays for a reason, and all compute what clang's do.
// RUN: mdh cc -O2 -c %s -o %t.o -Rpass=mdh -Rpass-missed=mdh 2>%t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: %prefix/bin/clang -O2 -DMAIN -c %s -o %t.main.o
// RUN: %prefix/bin/clang %t.main.o %t.o -o %t.raised -lm
// RUN: %prefix/bin/clang -O1 -c %s -o %t.clang.o
// RUN: %prefix/bin/clang %t.main.o %t.clang.o -o %t.clang -lm
// RUN: %t.raised > %t.one
// RUN: %t.clang > %t.other
// RUN: diff %t.one %t.other
#include <limits.h>
#ifdef MAIN
#include <math.h>
#else
double sqrt(double), fabs(double);
#endif
#include <stdio.h>
#include <stdlib.h>

typedef struct { size_t size1, size2; float *data; } Array2D;
typedef struct { double x, y; } Point;

#ifndef MAIN
// The product of slide 4: sizes and elements are loaded in the loops.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc, #mdh.cc, #mdh.pw<[add]> to !mdh.mda<?x?x1, f32>
void product(Array2D *A, Array2D *B, Array2D *C) {
  for (size_t i = 0; i < C->size1; i++)
    for (size_t j = 0; j < C->size2; j++) {
      C->data[i * C->size2 + j] = 0;
      for (size_t k = 0; k < A->size2; k++)
        C->data[i * C->size2 + j] += A->data[i * A->size2 + k] * B->data[k * B->size2 + j];
    }
}
// Counters of int, sizes of size_t.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc, #mdh.cc to
void sum(size_t n1, size_t n3, float *c, const float *a) {
  for (int i = 0; i < n1; i++)
    for (int k = 0; k < n3; k++) c[i * n3 + k] = a[i * n3 + k] + 1;
}
// A local scalar in a nest (Pluto 19).
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc, #mdh.pw<[add]> to
void rows(int n, int m, float *restrict out, float a[restrict n][m]) {
  for (int i = 0; i < n; i++) {
    float t = 0;
    for (int j = 0; j < m; j++) t += a[i][j];
    out[i] = t;
  }
}
// Counters downwards, and with other steps.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void down(int n, int *restrict a, const int *restrict b) {
  for (int i = n - 1; i >= 0; i--) a[i] = b[i] * 3;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void steps(int n, int *restrict a, const int *restrict b) {
  for (int i = 0; i < n; i += 4) a[i] = b[i] + 1;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void inclusive(int n, int *restrict a, const int *restrict b) {
  for (int i = 1; i <= n; i++) a[i] = b[i] ^ 5;
}
// Fields of structs are elements two apart.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void points(int n, Point *p, double dx) {
  for (int i = 0; i < n; i++) p[i].x += dx;
}
// A variable of the program, and a local array.
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.cc, #mdh.cc to !mdh.mda<12x20, f32>
static float table[12][20];
void fill(float x) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 20; j++) table[i][j] = x * (i + 2 * j);
}
float total(void) {
  float t = 0;
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 20; j++) t = t * 0.5f + table[i][j];
  return t;
}
// The pointers may overlap: the loop is raised, and runs as it is where they do.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void shift(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) a[i] = 2 * b[i];
}
// Elements before a pointer.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is not raised: requires indices of at least 0, but one begins with -{{[23]}}
void before(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) a[i - 3] = b[i - 2];
}
// A function of the file, and functions of math.h.
static double half(double x) { return x / 2; }
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void helper(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) a[i] = sqrt(fabs(half(b[i])));
}
// Loops before and after a call are nests of their own.
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.cc to
// CHECK-DAG: named.c:[[@LINE+4]]:3: remark: is raised: #mdh.cc to
void around(int n, long *a) {
  for (int i = 0; i < n; i++) a[i] = i;
  printf("between\n");
  for (int i = 0; i < n; i++) a[i] += n;
}
// A counter without a sign that begins with 0 meets its bound before it wraps around.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void unequal(size_t n, long *a) {
  for (size_t i = 0; i != n; ++i) a[i] *= 3;
}
// One of 64 bits would take years to wrap around.
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.cc to
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.cc to
void in_steps(size_t n, long *a) {
  for (size_t i = 0; i < n; i += 4) a[i] += 2;
  for (size_t i = 1; i <= n; ++i) a[i] *= 3;
}
// Unsigned indices that wrap around unless a condition holds.
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is raised: #mdh.cc to
void wrapping(unsigned n, unsigned start, int *restrict a, const int *restrict b) {
  for (unsigned i = start; i != n; i++) a[i + 2] = b[i];
}
// CHECK-DAG: named.c:[[@LINE+3]]:5: remark: is raised: #mdh.cc to
void pairs(unsigned n, unsigned m, int *restrict a, const int *restrict b) {
  for (unsigned i = 0; i < n; i += 2)
    for (unsigned j = 0; j <= m; j++) a[i * 7 + j] += b[j];
}
// Where the bound is 0, the counter wraps around.
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.pw<[add]> to
unsigned short_sum(unsigned char n, const int *a) {
  unsigned sum = 0;
  for (unsigned char i = 1; i != n; i++) sum += a[i];
  return sum;
}
// CHECK-DAG: named.c:[[@LINE+3]]:{{[0-9]+}}: remark: is not lifted: requires one way out of the loop, but it is also left here
int find(int n, const int *a, int x) {
  for (int i = 0; i < n; i++)
    if (a[i] == x) return i;
  return -1;
}
// CHECK-DAG: named.c:[[@LINE+2]]:{{[0-9]+}}: remark: is not lifted: requires pointers that no loop advances
void advance(int n, int *p) {
  while (n--) *p++ = n;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is not raised: requires linear indices, but one is the result of memref.load
void histogram(int n, int *restrict a, const int *restrict k) {
  for (int i = 0; i < n; i++) a[k[i]]++;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is not raised: requires stores without conditions
void positive(int n, int *restrict a, const int *restrict b) {
  for (int i = 0; i < n; i++)
    if (b[i] > 0) a[i] = b[i];
}
// CHECK-DAG: named.c:[[@LINE+2]]:{{[0-9]+}}: remark: is not lifted: requires no calls, but 'printf' is called
void print(int n, const int *a) {
  for (int i = 0; i < n; i++) printf("%d ", a[i]);
}
// CHECK-DAG: named.c:[[@LINE+2]]:{{[0-9]+}}: remark: is not lifted: requires no volatile accesses
void device(int n, volatile int *a) {
  for (int i = 0; i < n; i++) a[i] = i;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is not raised: requires a value for each output, of types (f32), but the region combines none with them
void recurrence(int n, float *a) {
  for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5f + 1;
}
// A sum of floats keeps the order of C, and a loop before the start of an array stays.
double backwards(int n, const double *a) {
  double t = 0;
  for (int i = n - 1; i >= 0; i--) t += a[i] * 1e17;
  for (int i = 0; i < n; i++) t += a[n - 1 - i] / 3;
  return t;
}
// CHECK-DAG: named.c:[[@LINE+2]]:3: remark: is not raised: requires indices of at least 0, but one begins with -1
void early(int n, double *a) {
  for (int i = -1; i < n; i++) a[i] = 1;
}
// Operators of a program of C.
// CHECK-DAG: named.c:[[@LINE+3]]:3: remark: is raised: #mdh.pw<
int largest(int n, const int *a) {
  int t = -100;
  for (int i = 0; i < n; i++) t = a[i] > t ? a[i] : t;
  return t;
}
// A size is not loaded before a loop that is left on the way to it, and nothing is divided before a loop that does not run.
int left(int n, int *a, const int *k, const Array2D *A) {
  for (int i = 0; i < n; i++) a[i] = i;
  int t = 0;
  for (int i = 0; i < n; i++) {
    if (k[i] < 100) break;
    t += A->size1;
  }
  return t;
}
int divided(int n, int m, int d, int *a, const Array2D *A) {
  for (int i = 0; i < m; i++) a[i] = i;
  int t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m / d; j++) t += A->size1;
  return t;
}
// A function of the program with the name of one of math.h, and one that is not optimized.
__attribute__((const, noinline)) static double cbrt(double x) { return x + 1; }
// CHECK-DAG: named.c:[[@LINE+2]]:{{[0-9]+}}: remark: is not lifted: requires no calls, but 'cbrt' is called
void own(int n, double *a) {
  for (int i = 0; i < n; i++) a[i] = cbrt(a[i]);
}

__attribute__((optnone, noinline)) void slow(int n, double *a) {
  for (int i = 0; i < n; i++) a[i] += 1;
}
#else
int left(int, int *, const int *, const Array2D *), divided(int, int, int, int *, const Array2D *);
void own(int, double *), slow(int, double *);
double backwards(int, const double *);
void early(int, double *);
int largest(int, const int *);
void product(Array2D *, Array2D *, Array2D *);
void sum(size_t, size_t, float *, const float *);
void rows(int n, int m, float *, float a[n][m]);
void down(int, int *, const int *), steps(int, int *, const int *), inclusive(int, int *, const int *);
void points(int, Point *, double), fill(float), shift(int, double *, double *);
void before(int, double *, const double *), helper(int, double *, const double *), around(int, long *), unequal(size_t, long *), in_steps(size_t, long *);
unsigned short_sum(unsigned char, const int *);
void pairs(unsigned, unsigned, int *, const int *), wrapping(unsigned, unsigned, int *, const int *), advance(int, int *), histogram(int, int *, const int *);
void positive(int, int *, const int *), print(int, const int *), device(int, volatile int *), recurrence(int, float *);
float total(void);
int find(int, const int *, int);

static unsigned long hash(const void *of, size_t bytes) {
  unsigned long h = 14695981039346656037ul;
  for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)of)[i]) * 1099511628211ul;
  return h;
}
int main(void) {
  static float A[400], B[400], C[400];
  static double D[400], E[400];
  static int I[400], J[400];
  static long L[400];
  for (int i = 0; i < 400; i++) A[i] = i % 7, B[i] = i % 5, D[i] = i % 11, E[i] = i % 3, I[i] = i % 13 - 6, J[i] = i % 9;
  for (int n = 0; n < 18; n += 3) {
    Array2D a = {n, n + 1, A}, b = {n + 1, n + 2, B}, c = {n, n + 2, C};
    product(&a, &b, &c);
    // No loop runs, so no pointer is read.
    Array2D none = {0, 0, NULL};
    product(NULL, NULL, &none);
    sum(n, n + 1, C, A), rows(n, 5, B, (float(*)[5])A), down(n, I, J), steps(n, I, J), inclusive(n, I, J);
    points(n, (Point *)D, 0.5), fill(n), shift(n, D + 10, D), shift(n, D, D + 3), shift(n, D, D), shift(n, E, D);
    before(n, D + 20, E + 5), helper(n, E, D), around(n, L), unequal(n, L), in_steps(n, L), wrapping(n, 0, I, J), wrapping(n, n, J, I);
    pairs(n, 5, I, J);
    printf("%u %u ", short_sum(n, I), short_sum(0, I));
    advance(n, I), histogram(9, I, J), positive(n, I, J), print(n, I), device(n, J), recurrence(n, C);
    early(n, D + 50), own(n, D), slow(n, D);
    printf("%d %d ", left(n, I, J, NULL), divided(0, n, 0, I, NULL));
    printf("%a %d", backwards(n, D), largest(n, I));
    printf("\n%d %a %lx %lx %lx %lx %lx %lx %lx %lx\n", find(n, I, 3), total(), hash(A, sizeof A), hash(B, sizeof B),
           hash(C, sizeof C), hash(D, sizeof D), hash(E, sizeof E), hash(I, sizeof I), hash(J, sizeof J), hash(L, sizeof L));
    for (int i = 0; i < 400; i++) J[i] = i % 9;
  }
}
#endif
