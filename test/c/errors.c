// What is wrong in a program or a command line is one clear error.
// RUN: mkdir -p %t
// RUN: not mdh cc -O1 -c %t/none.c 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: echo "int f(int x) { return y; }" > %t/wrong.c
// RUN: not mdh cc -O1 -c %t/wrong.c -o %t/wrong.o 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-thread=2 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-least-points=few 2>&1 | FileCheck %s --check-prefix=POINTS
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-function=own 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not mdh cc -O1 -c %s -o %t.o --mdh-required 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not env MDH_CLANG=%t/none mdh cc -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CLANG
// RUN: not env MDH_CLANG=false mdh cc -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NOT-CLANG
// RUN: not mdh compile %s --emit object --target opencl -o %t.o 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not mdh compile %s --emit header 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not mdh run %S/../passes/raise.mlir --function matmul -- -O2 2>&1 | FileCheck %s --check-prefix=FLAGS
// RUN: echo "define void @f() {" > %t/text.ll
// RUN: not mdh compile %t/text.ll --emit raise 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: echo "target triple = \"riscv64-linux-gnu\"" > %t/other.ll
// RUN: not mdh compile %t/other.ll --emit raise 2>&1 | FileCheck %s --check-prefix=OTHER

// MISSING: error: no such file or directory: '{{.*}}none.c'
// WRONG: wrong.c:1:23: error: use of undeclared identifier 'y'
// OPTION: error: unknown option '--mdh-thread=2': expects --mdh-report=FILE,
// THREADS: error: --mdh-threads requires a number from 1 to {{[0-9]+}}, got '--mdh-threads=0'
// POINTS: error: --mdh-least-points requires a number from 0 to 2147483647, got '--mdh-least-points=few'
// FUNCTION: error: '{{.*}}errors.c' has no function 'g'
// STATIC: error: the function 'own' of '{{.*}}errors.c' is static
// REQUIRED: errors.c:[[@LINE+13]]:{{[0-9]+}}: error: cannot be lifted: requires one way out of the loop, but it is also left here
// CLANG: error: a C program requires clang 22, but '{{.*}}none' of MDH_CLANG cannot be run
// NOT-CLANG: error: 'false' is not clang
// TARGET: error: programs in C and LLVM IR require --target cpu, but got 'opencl'
// EMIT: error: programs in C and LLVM IR require --emit object, assembly, llvm-ir, shared or a stage, but got 'header'
// FLAGS: error: options of clang require a C program, but '{{.*}}raise.mlir' is none
// TEXT: error: {{.*}}found end of file when expecting more instructions
// OTHER: error: '{{.*}}other.ll' is for riscv64, but this machine is {{.*}}
__attribute__((noinline)) static int own(int x) {
  return x + 1;
}
int find(int n, const int *a, int x) {
  for (int i = 0; i < n; i++)
    if (a[i] == x) return own(i);
  return -1;
}
