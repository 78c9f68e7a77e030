// A directive that does not fit is an error where it is.
// RUN: not mdh cc -O2 -c %s -o %t.o -DLOOPS 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not mdh cc -O2 -c %s -o %t.o -DOPERATORS 2>&1 | FileCheck %s --check-prefix=OPERATORS
// RUN: not mdh cc -O2 -c %s -o %t.o -DOUTPUT 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not mdh cc -O2 -c %s -o %t.o -DOTHER 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mdh cc -O2 -c %s -o %t.o -DSUBSCRIPTS 2>&1 | FileCheck %s --check-prefix=SUBSCRIPTS
// RUN: not mdh cc -O2 -c %s -o %t.o -DCALL 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not mdh cc -O2 -c %s -o %t.o -DSTAYS 2>&1 | FileCheck %s --check-prefix=STAYS
// RUN: not mdh cc -O2 -c %s -o %t.o -DWHILE 2>&1 | FileCheck %s --check-prefix=WHILE
// RUN: not mdh cc -O2 -c %s -o %t.o -DFORM 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not mdh compile --emit object -o %t.o %s -- -O2 -DFORM 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not mdh compile --emit object -o %t.o %s -- -O2 -DOPERATORS 2>&1 | FileCheck %s --check-prefix=OPERATORS
// RUN: mdh cc -O2 -c %s -o %t.o -DUNUSED 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: mdh cc -O0 -c %s -o %t.o -DOPERATORS
// RUN: mdh cc -O2 -c %s -o %t.o --mdh-off -DOPERATORS
int puts(const char *);

void f(int n, double y[n], double z[n], double A[n][n]) {
#if defined(LOOPS)
// LOOPS: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires the operators of its loops, but has ++, +, + where 'y' is raised with ++, +
#pragma mdh(y[i] : ++, +, +)
#elif defined(OPERATORS)
// OPERATORS: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires the operators of its loops, but has ++, * where 'y' is raised with ++, +
#pragma mdh(y[i] : ++, *)
#elif defined(OUTPUT)
// OUTPUT: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires outputs of its loops, but they do not write 'z'
#pragma mdh(z[i] : ++, +)
#elif defined(SUBSCRIPTS)
// SUBSCRIPTS: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires the subscripts of its loops, but has y[j] where 'y' depends on [i]
#pragma mdh(y[j] : ++, +)
#endif
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] += A[i][j];
}

void g(int n, double *y, double *z) {
#ifdef OTHER
// OTHER: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires all outputs of its loops, but has not 'z'
#pragma mdh(y[i] : ++)
#endif
  for (int i = 0; i < n; i++) y[i] = 1, z[i] = 2;
#ifdef CALL
// CALL: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}cannot be lifted: {{.*}}directives-invalid.c:{{.*}}requires no calls, but 'puts' is called
#pragma mdh(y[i] : ++)
#endif
  for (int i = 0; i < n; i++) y[i] = puts("y");
#ifdef STAYS
// STAYS: directives-invalid.c:[[#@LINE+1]]:1: error: {{.*}}requires loops that are raised, but the loops of this directive stay
#pragma mdh(y[i] : ++)
#endif
  for (int i = 2; i < n; i++) y[i] = y[i - 1] * y[i - 2];
#ifdef WHILE
// WHILE: directives-invalid.c:[[#@LINE+1]]:1: error: a directive requires a for loop behind it, but there is 'while'
#pragma mdh(y[n] : ++)
#endif
  while (n-- > 0) y[n] += 1;
#ifdef FORM
// FORM: directives-invalid.c:[[#@LINE+1]]:1: error: a directive requires the form mdh(OUTPUT, .. : OPERATOR, ..), but got 'mdh(y[i], +)'
#pragma mdh(y[i], +)
  for (int i = 0; i < n; i++) y[i] = 1;
#endif
}

#ifdef UNUSED
static void h(int n, double *y) {
// UNUSED: directives-invalid.c:[[#@LINE+1]]:1: warning: no loop of this directive is compiled
#pragma mdh(y[i] : ++)
  for (int i = 0; i < n; i++) y[i] = 1;
}
#endif
