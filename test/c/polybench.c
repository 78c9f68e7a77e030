// The kernels of PolyBench, with static arrays, arrays of variable length and flat ones, compute the bits of clang's object
// in the order of C, also where arrays overlap.
// RUN: mdh cc -O2 -march=native -DFORM=0 -c %S/Inputs/polybench.c -o %t.o --mdh-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=RAISED
// RUN: %prefix/bin/clang -O2 -march=native -fno-math-errno -DFORM=0 -c %S/Inputs/polybench.c -o %t.clang.o
// RUN: %prefix/bin/clang -O1 -DFORM=0 %S/Inputs/polybench_main.c %t.o -o %t.raised -lm
// RUN: %prefix/bin/clang -O1 -DFORM=0 %S/Inputs/polybench_main.c %t.clang.o -o %t.clang -lm
// RUN: %t.raised 13 > %t.one
// RUN: %t.clang 13 > %t.other
// RUN: diff %t.one %t.other
// RUN: mdh cc -O1 -DFORM=1 -c %S/Inputs/polybench.c -o %t.o --mdh-report=%t.json --mdh-least-points=0
// RUN: FileCheck %s --input-file=%t.json --check-prefix=RAISED
// RUN: %prefix/bin/clang -O1 -fno-math-errno -DFORM=1 -c %S/Inputs/polybench.c -o %t.clang.o
// RUN: %prefix/bin/clang -O1 -DFORM=1 %S/Inputs/polybench_main.c %t.o -o %t.raised -lm
// RUN: %prefix/bin/clang -O1 -DFORM=1 %S/Inputs/polybench_main.c %t.clang.o -o %t.clang -lm
// RUN: %t.raised 45 > %t.one
// RUN: %t.clang 45 > %t.other
// RUN: diff %t.one %t.other
// RUN: mdh cc -O1 -DFORM=2 -DRESTRICT= -c %S/Inputs/polybench.c -o %t.o --mdh-report=%t.json --mdh-least-points=100
// RUN: FileCheck %s --input-file=%t.json --check-prefix=RAISED
// RUN: %prefix/bin/clang -O1 -fno-math-errno -DFORM=2 -DRESTRICT= -c %S/Inputs/polybench.c -o %t.clang.o
// RUN: %prefix/bin/clang -O1 -DFORM=2 -DRESTRICT= %S/Inputs/polybench_main.c %t.o -o %t.raised -lm
// RUN: %prefix/bin/clang -O1 -DFORM=2 -DRESTRICT= %S/Inputs/polybench_main.c %t.clang.o -o %t.clang -lm
// RUN: %t.raised 12 > %t.one
// RUN: %t.raised 12 7 >> %t.one
// RUN: %t.raised 12 100 >> %t.one
// RUN: %t.clang 12 > %t.other
// RUN: %t.clang 12 7 >> %t.other
// RUN: %t.clang 12 100 >> %t.other
// RUN: diff %t.one %t.other

// RAISED-COUNT-61: "combine": [
// RAISED-NOT: "combine": [
// RAISED: "stays": [
