// Shapes and subscripts are those of LLVM, except for those of docs/delinearization.md ("Differences").
// RUN: mdh-opt %S/paper.mlir --mdh-delinearize=print -o %t.mlir 2> %t.remarks
// RUN: mdh compile %S/paper.mlir --raise false --emit llvm-ir --opt-level 0 --threads 1 --output %t.ll
// RUN: opt -passes="print<delinearization>" -disable-output %t.ll 2> %t.analysis
// RUN: %python %S/Inputs/llvm.py %S/paper.mlir %t.remarks %t.analysis | FileCheck %s
// CHECK:      slide12 same
// CHECK-NEXT: gemm same
// CHECK-NEXT: odd_even same
// One subscript alone: LLVM takes a row of m elements, on which it is not within the row.
// CHECK-NEXT: diagonal differs
// CHECK-NEXT: diagonal_and_row same
// CHECK-NEXT: squared same
// LLVM has no subscripts for the accesses without a loop variable.
// CHECK-NEXT: s1_to_s5 differs
// CHECK-NEXT: slide21 same
// CHECK-NEXT: scaled differs
// CHECK-NEXT: plus none
// CHECK-NEXT: reversed differs
// CHECK-NEXT: window same
// CHECK-NEXT: triangle same
// CHECK-NEXT: stencil same
// CHECK-NEXT: constants none
// CHECK-NEXT: negative same
// LLVM has a shape for each access.
// CHECK-NEXT: no_common differs
