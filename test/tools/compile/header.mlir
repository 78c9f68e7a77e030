// Functions whose names are none of C have similar ones there, each its own.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --output %t/names.h
// RUN: clang++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I%t -x c++ %S/Inputs/names.c
// RUN: FileCheck %s < %t/names.h
//
// A C program calls one through the header.
// RUN: mdh compile %s --emit object --output %t/names.o
// RUN: clang -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/names.c %t/names.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: 42

// CHECK: // "a.b"
// CHECK: int64_t _mlir_ciface_a_b_2(int64_t argument0) __asm__("_mlir_ciface_a.b");
// CHECK: static inline int64_t a_b_2_call(int64_t argument0)
// CHECK-NEXT: return _mlir_ciface_a_b_2(argument0);
func.func @"a.b"(%x: i64) -> i64 {
  %c2 = arith.constant 2 : i64
  %y = arith.muli %x, %c2 : i64
  return %y : i64
}

// CHECK: // a_b
// CHECK-NEXT: // argument0
// CHECK: int64_t _mlir_ciface_a_b(int64_t argument0);
func.func @a_b(%x: i64) -> i64 {
  return %x : i64
}

// CHECK: void _mlir_ciface__1st(void) __asm__("_mlir_ciface_1st");
func.func @"1st"() {
  return
}

// CHECK: // "q\042\134"
// CHECK: void _mlir_ciface_q__(void) __asm__("_mlir_ciface_q\042\134");
func.func @"q\"\\"() {
  return
}
