// The C program of docs/embedding.md works as documented, and compiles as C++, too.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %root/docs/matvec.mlir --emit header --checked -o %t/matvec.h
// RUN: mdh compile %root/docs/matvec.mlir --emit object --checked --threads 1 -o %t/matvec.o
// RUN: %python %S/Inputs/blocks.py %root/docs/embedding.md c "int main" > %t/program.c
// RUN: clang -std=c11 -Wall -Wextra -Werror -I%t %t/program.c %t/matvec.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --match-full-lines
// RUN: clang++ -std=c++17 -Wall -Wextra -Werror -I%t -x c++ %t/program.c -x none %t/matvec.o -lm -o %t/program
// RUN: %t/program | FileCheck %s --match-full-lines
//
// So does its program with typed functions.
// RUN: %python %S/Inputs/blocks.py %root/docs/embedding.md c "mdh_call_matvec(M" > %t/typed.c
// RUN: clang -std=c11 -Wall -Wextra -pedantic -Werror -I%t %t/typed.c %t/matvec.o -lm -o %t/typed
// RUN: %t/typed | FileCheck %s --match-full-lines
// CHECK: 4096
//
// So does the program with a function of dynamic sizes.
// RUN: mdh compile %root/examples/matvec.mlir --function matvec --emit header --checked -o %t/dynamic.h
// RUN: mdh compile %root/examples/matvec.mlir --function matvec --emit object --checked --threads 1 -o %t/dynamic.o
// RUN: %python %S/Inputs/blocks.py %root/docs/embedding.md c dynamic.h > %t/dynamic.c
// RUN: %python %S/Inputs/blocks.py %root/docs/embedding.md text "54" > %t/expected
// RUN: clang -std=c11 -Wall -Wextra -Werror -fsanitize=address,undefined -I%t %t/dynamic.c %t/dynamic.o -lm -o %t/dynamic
// RUN: %t/dynamic > %t/printed
// RUN: diff %t/expected %t/printed
