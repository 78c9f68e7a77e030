// mdh cc is clang: several inputs, linking, preprocessing, dependencies, assembly, and the objects of clang where nothing
// is raised.
// RUN: mkdir -p %t
// RUN: mdh cc -O2 -MMD -MF %t/first.d -c %s -o %t/first.o
// RUN: FileCheck %s --input-file=%t/first.d --check-prefix=DEPENDENCIES
// RUN: mdh cc -O2 -DMAIN %s %t/first.o -o %t/program -lm
// RUN: %t/program | FileCheck %s --check-prefix=OUTPUT
// RUN: mdh cc -E -DMAIN %s | FileCheck %s --check-prefix=TEXT
// RUN: mdh cc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// RUN: mdh cc -O3 -S %s -o - | FileCheck %s --check-prefix=ASSEMBLY
// RUN: mdh cc --version | FileCheck %s --check-prefix=VERSION
// RUN: mdh cc -O0 -c %s -o %t/plain.o --mdh-report=%t/none.json
// RUN: not ls %t/none.json
// RUN: mdh cc -O2 -c %s -o %t/off.o --mdh-off
// RUN: %prefix/bin/clang -O2 -fno-math-errno -c %s -o %t/clang.o
// RUN: cmp %t/off.o %t/clang.o
// RUN: mdh cc -O2 -DMAIN -c %s -o %t/same.o
// RUN: %prefix/bin/clang -O2 -DMAIN -fno-math-errno -c %s -o %t/clang.o
// RUN: cmp %t/same.o %t/clang.o
// RUN: mdh compile %s --emit object -o %t/compiled.o -- -O2
// RUN: %prefix/bin/clang -DMAIN %s %t/compiled.o -o %t/program
// RUN: %t/program | FileCheck %s --check-prefix=OUTPUT
// RUN: mdh cc -O2 -g -c %s -o %t/debug.o -Rpass=mdh 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: %prefix/bin/llvm-dwarfdump --debug-info %t/debug.o | FileCheck %s --check-prefix=DEBUG
// RUN: %prefix/bin/clang -DMAIN %s %t/debug.o -o %t/program
// RUN: %t/program | FileCheck %s --check-prefix=OUTPUT
// RUN: %prefix/bin/clang -O1 -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t/first.bc
// RUN: not mdh run %t/first.bc --function axpy_nest --input 3 --input 2 --input 4 --input 5 --check 2>&1 | FileCheck %s --check-prefix=SIZES

// DEPENDENCIES: first.o:
// DEPENDENCIES-NEXT: driver.c
// OUTPUT: 3 5 7 9
// TEXT: int main(void)
// IR: define {{.*}}void @axpy(
// ASSEMBLY: axpy:
// VERSION: clang version 22
// RAISED-COUNT-3: driver.c:51:3: remark: is raised
// RAISED-NOT: warning
// DEBUG: DW_AT_name{{.*}}"axpy"
// SIZES: error: input 2 of 'axpy_nest' ('2'): requires a file: a number does not say the sizes of tensor<?xf64>
#include <stdio.h>
#ifdef MAIN
void axpy(int n, double a, double *restrict y, const double *restrict x);
int main(void) {
  double x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 1};
  axpy(4, 2, y, x);
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
}
#else
static void add(int n, double a, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
void axpy(int n, double a, double *restrict y, const double *restrict x) { add(n, a, y, x); }
// The loop is raised in both functions that it is inlined into.
void add_twice(int n, double *restrict y, const double *restrict x) {
  add(n, 1, y, x);
  add(n, 1, y, x);
}
#endif
