// A list of processors makes a version of each function for each level of x86-64, and the processor determines the one that runs.
// REQUIRES: cc, avx2, x86_64
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --checked --prefix my_ -o %t/levels.h
//
// With x * x + y, whose product is exact only with FMA, the result shows which version ran: processors have FMA from level 3 on.
// RUN: mdh compile %s --emit object --checked --prefix my_ --threads 1 --cpu x86-64-v2,x86-64 -o %t/levels.o
// RUN: clang -std=c99 -Wall -Wextra -Werror -I%t %S/Inputs/levels.c %t/levels.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --check-prefixes=CHECK,ROUNDED
// RUN: mdh compile %s --emit object --checked --prefix my_ --threads 1 --cpu x86-64-v3,x86-64 -o %t/levels.o
// RUN: clang -std=c99 -static -I%t %S/Inputs/levels.c %t/levels.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: clang -std=c99 -fuse-ld=lld -I%t %S/Inputs/levels.c %t/levels.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: mdh compile %s --emit shared --checked --prefix my_ --cpu x86-64,x86-64-v2,x86-64-v3,x86-64-v4 -o %t/liblevels.so
// RUN: clang -std=c99 -I%t %S/Inputs/levels.c -L%t -llevels -Wl,-rpath,%t -o %t/program
// RUN: %t/program | FileCheck %s --check-prefixes=CHECK,EXACT
// CHECK: checked: 1
// ROUNDED-NEXT: 0 0 0 0 0 0 0 0
// EXACT-NEXT: 5.55112e-17 5.55112e-17 5.55112e-17 5.55112e-17 5.55112e-17 5.55112e-17 5.55112e-17 5.55112e-17
// CHECK-NEXT: argument 2 of 'residuals' has size 7 in dimension 1, but is accessed at index 7
//
// Only the functions and their constants are exported; the versions have names of their own.
// RUN: nm %t/levels.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: nm --defined-only --extern-only %t/levels.o | FileCheck %s --check-prefix=EXPORTED
// SYMBOLS-DAG: t my_residuals.x86-64
// SYMBOLS-DAG: t my_residuals.x86-64-v3
// EXPORTED: R mdh_checked_my_residuals
// EXPORTED-NEXT: T my_residuals
// EXPORTED-NOT: {{.}}
//
// Each version has a schedule for its vectors. Later calls jump to the version that the first one has chosen.
// RUN: mdh compile %s --emit llvm-ir --threads 1 --cpu x86-64,x86-64-v3 -o %t/levels.ll
// RUN: FileCheck %s --check-prefix=IR < %t/levels.ll
// RUN: mdh compile %s --emit assembly -g --threads 1 --cpu x86-64,x86-64-v3 -o - | FileCheck %s --check-prefix=ASSEMBLY
// IR-DAG: <2 x double>
// IR-DAG: <4 x double>
// IR: define i32 @residuals({{.*}}
// IR-NEXT: %version = load atomic ptr, ptr @mdh.residuals.chosen monotonic
// IR-NEXT: %status = tail call i32 %version(
// ASSEMBLY-DAG: %ymm
// ASSEMBLY-DAG: levels.mlir
//
// RUN: not mdh compile %s --emit object --cpu x86-64,znver4 -o %t/no.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: several processors require levels of x86-64 (x86-64, x86-64-v2, x86-64-v3, x86-64-v4), but got 'znver4'
// RUN: not mdh compile %s --emit object --cpu x86-64, -o %t/no.o 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: several processors require levels of x86-64 ({{.*}}), but got ''
// RUN: not mdh compile %s --emit object --cpu x86-64-v3,x86-64,x86-64-v3 -o %t/no.o 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: several processors require different ones, but got 'x86-64-v3' 2 times
// RUN: not mdh compile %s --emit object --cpu x86-64,x86-64-v3 --triple aarch64-linux-gnu -o %t/no.o 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: error: unknown processor 'x86-64'
// RUN: not mdh compile %s --emit llvm --cpu x86-64,x86-64-v3 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: --emit llvm requires one processor, but got --cpu x86-64,x86-64-v3
// RUN: not mdh compile %s --emit object --target cuda --cpu x86-64,x86-64-v3 -o %t/no.o 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: --target cuda requires one processor, but got --cpu x86-64,x86-64-v3
// RUN: not mdh compile %s --emit object --features +fma --cpu x86-64,x86-64-v3 -o %t/no.o 2>&1 | FileCheck %s --check-prefix=FEATURES
// FEATURES: error: --features requires one processor, but got --cpu x86-64,x86-64-v3
// RUN: not mdh compile %s --emit object --sanitize address --cpu x86-64,x86-64-v3 -o %t/no.o 2>&1 | FileCheck %s --check-prefix=SANITIZE
// SANITIZE: error: --sanitize requires one processor, but got --cpu x86-64,x86-64-v3

func.func @residuals(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>]
      : (tensor<?xf64>, tensor<?xf64>) -> !mdh.mda<?, f64, f64>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f64, %b: f64):
    %product = arith.mulf %a, %a : f64
    %sum = arith.addf %product, %b : f64
    mdh.hom.yield %sum : f64
  } : !mdh.mda<?, f64, f64> -> !mdh.mda<?, f64>
  %z = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<?, f64> -> tensor<?xf64>
  return %z : tensor<?xf64>
}
