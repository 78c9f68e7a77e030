// Functions whose names are not C identifiers get similar, unique names.
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
// CHECK: int32_t a_b_2(const mdh_array *arguments, mdh_array *results, char *message) __asm__("a.b");
func.func @"a.b"(%x: i64) -> i64 {
  %c2 = arith.constant 2 : i64
  %y = arith.muli %x, %c2 : i64
  return %y : i64
}

// CHECK: // a_b
// CHECK-NEXT: // arguments[0]: i64
// CHECK-NEXT: // results[0]: i64
// CHECK-NEXT: int32_t a_b(const mdh_array *arguments, mdh_array *results, char *message);
func.func @a_b(%x: i64) -> i64 {
  return %x : i64
}

// CHECK: int32_t _1st({{.*}}) __asm__("1st");
func.func @"1st"() {
  return
}

// CHECK: // "q\042\134"
// CHECK: int32_t q__({{.*}}) __asm__("q\042\134");
func.func @"q\"\\"() {
  return
}

// CHECK: int32_t function_int({{.*}}) __asm__("int");
func.func @int() {
  return
}

// The wrappers between callers and the code have separate names.
// CHECK: int32_t copy(
func.func @copy() {
  return
}
