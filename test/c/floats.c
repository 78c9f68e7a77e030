// Each computation is as strict as its operations: reduction by reduction, and call by call, not by a flag of a file.
// RUN: mdh compile %s --emit hom -- -O1 | FileCheck %s
// RUN: mdh compile %s --emit hom -- -O1 -ffast-math | FileCheck %s --check-prefix=FAST
// RUN: mdh compile %s --emit hom -- -O1 -ffast-math -ffp-contract=off | FileCheck %s --check-prefix=UNFUSED
// RUN: mdh compile %s --emit hom -- -O1 -ffp-contract=off | FileCheck %s --check-prefix=OFF
// RUN: mdh compile %s --strict --emit hom -- -O1 -ffast-math | FileCheck %s --check-prefix=STRICT
// RUN: mdh compile %s --emit llvm -- -O1 | FileCheck %s --check-prefix=CALLS
// RUN: mdh compile %s --emit llvm -- -O1 -ffast-math | FileCheck %s --check-prefix=EXPANDED
#include <math.h>

// CHECK-LABEL: func.func {{.*}}@dot_nest
// CHECK: combine [#mdh.pw<[add]>] attributes {mdh.contract = true, mdh.raised, ordered}
// FAST-LABEL: func.func {{.*}}@dot_nest
// FAST: combine [#mdh.pw<[add]>] attributes {mdh.contract = true, mdh.raised} {
// UNFUSED-LABEL: func.func {{.*}}@dot_nest
// UNFUSED: combine [#mdh.pw<[add]>] attributes {mdh.contract = false, mdh.raised} {
// OFF-LABEL: func.func {{.*}}@dot_nest
// OFF: combine [#mdh.pw<[add]>] attributes {mdh.contract = false, mdh.raised, ordered}
// STRICT-LABEL: func.func {{.*}}@dot_nest
// STRICT: combine [#mdh.pw<[add]>] attributes {mdh.contract = true, mdh.raised, ordered}
double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// A pragma permits one loop to be reordered.
// CHECK-LABEL: func.func {{.*}}@free_nest
// CHECK: combine [#mdh.pw<[add]>] attributes {mdh.contract = false, mdh.raised} {
double free_(int n, const double *a) asm("free");
double free_(int n, const double *a) {
#pragma clang fp reassociate(on)
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}

// Nothing is combined.
// CHECK-LABEL: func.func {{.*}}@each_nest
// CHECK: combine [#mdh.cc] attributes {mdh.contract = false, mdh.raised} {
// CHECK: math.exp {{.*}}mdh.exact
// FAST-LABEL: func.func {{.*}}@each_nest
// FAST: math.exp {{[^,]*}} fastmath<fast> : f64
// CALLS: llvm.intr.exp
// EXPANDED: llvm.call @mdh.exp
void each(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) y[i] = exp(x[i]);
}

// Integers have no order.
// CHECK-LABEL: func.func {{.*}}@count_nest
// CHECK: combine [#mdh.pw<[add]>]
int count(int n, const int *a) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] > 3;
  return sum;
}
