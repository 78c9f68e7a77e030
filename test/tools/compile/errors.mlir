// Errors of mdh compile; it then writes no file.
// RUN: rm -rf %t && mkdir -p %t
// RUN: not mdh compile %s --emit nothing 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: cannot emit 'nothing': expects one of raise, fuse, hom, {{.*}}llvm, llvm-ir, assembly, object, header, shared
// RUN: not mdh compile %s --emit object 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: --emit object requires --output FILE
// RUN: not mdh compile %s --emit object -o %t/none/f.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: cannot write '{{.*}}f.o': there is no folder '{{.*}}none'
// RUN: not mdh compile %s --emit llvm --function g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: no public function 'g': the module has f, v
// RUN: not mdh compile %s --emit header --function v 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: argument 1 of 'v' requires an integer, index or float type, or a ranked tensor or memref of one, but has type vector<4xf32>
// RUN: mdh compile %s --emit header 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: note: left out: argument 1 of 'v' requires an integer
// RUN: not mdh compile %s --emit object -o %t/f.o --opt-level 4 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: unknown optimisation level 4: expects 0, 1, 2 or 3
// RUN: not mdh compile %s --emit object -o %t/f.o --features avx2 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: feature 'avx2' requires '+' or '-' before its name
// RUN: not mdh compile %t/none.mlir --emit object -o %t/f.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot read '{{.*}}none.mlir': no such file or directory
// RUN: echo "func.func @f( {" > %t/broken.mlir
// RUN: not mdh compile %t/broken.mlir --emit object -o %t/f.o 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: broken.mlir:1:14: error: expected non-function type
// RUN: not ls %t/f.o

func.func @f(%x: f32) -> f32 {
  return %x : f32
}

func.func @v(%x: vector<4xf32>) {
  return
}
