// Rows are read one by one where clang's vectorizer would gather elements of eight of them. Functions without a nest keep
// their features.
// REQUIRES: x86_64
// RUN: mdh cc -O3 -march=znver4 -S %s -o - | FileCheck %s
// RUN: mdh compile %s --emit llvm-ir -- -O3 -march=znver4 | FileCheck %s --check-prefix=FEATURES
// CHECK-LABEL: rows:
// CHECK:       vfmadd{{[0-9]+}}sd
// CHECK-NOT:   vgather
// CHECK:       .size rows
// FEATURES: define {{.*}}@other({{.*}} #[[OTHER:[0-9]+]] {
// FEATURES: define {{.*}}@rows({{.*}} #[[ROWS:[0-9]+]] {
// FEATURES: attributes #[[OTHER]] = {{.*}}+xsaves"
// FEATURES: attributes #[[ROWS]] = {{.*}}+xsaves,+prefer-no-gather"
void rows(int n, double A[restrict n][n], double B[restrict n][n], double x[restrict n], double y[restrict n],
          double z[restrict n]) {
  for (int i = 0; i < n; i++) {
    y[i] = z[i] = 0;
    for (int j = 0; j < n; j++) {
      y[i] += A[i][j] * x[j];
      z[i] += B[i][j] * x[j];
    }
  }
}
int other(int x) { return x + 1; }
