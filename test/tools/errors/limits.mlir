// A program that nests too deeply for the stack is an error before it is parsed, as text and as bytecode.

// RUN: %python -c "print('module {' * 20000 + '}' * 20000)" > %t.modules.mlir
// RUN: not mdh-opt %t.modules.mlir 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not mdh-opt < %t.modules.mlir 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not mdh run %t.modules.mlir 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not mdh run - < %t.modules.mlir 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: {{^.*}}:1:2056: error: requires nesting of at most 256 levels, but here it has 257
// RUN: %python -c "print('module {' * 257 + '}' * 257)" > %t.more.mlir
// RUN: mlir-opt %t.more.mlir --emit-bytecode -o %t.more.mlirbc
// RUN: not mdh-opt %t.more.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTECODE
// RUN: not mdh run %t.more.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: more.mlirbc:1:1: error: requires nesting of at most 256 levels in bytecode

// A program of the maximum depth passes the whole pipeline.
// RUN: %python %S/Inputs/scalar_function.py nested 250 > %t.nested.mlir
// RUN: mdh run %t.nested.mlir --input 1 --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator
// RUN: %python %S/Inputs/scalar_function.py nested 5000 > %t.nested.mlir
// RUN: not mdh run %t.nested.mlir --input 1 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: {{^.*}}: error: requires nesting of at most 256 levels, but here it has 257

// Compile time is linear in the length of a scalar function, not quadratic: seconds of processor time, not minutes.
// RUN: %python %S/Inputs/scalar_function.py long 25000 > %t.long.mlir
// A terminal shows a progress message after more than a second, and a file does not get it.
// RUN: sh -c 'ulimit -t 40; %python %S/Inputs/terminal.py mdh run %t.long.mlir --input 1 --threads 1 --repeat 1' < /dev/null | FileCheck %s --check-prefix=LONG
// LONG: compiling
// LONG: its code is generated without optimizations
// LONG: compiled in
// RUN: mdh run %s --input 1 2>&1 | FileCheck %s --check-prefix=SILENT --implicit-check-not=compiling
// SILENT: result 1: 4xf32
// SILENT-NEXT: {{^}}[1.0 1.0 1.0 1.0]{{$}}

// libomp would terminate the process, or hang.
// RUN: env OMP_NUM_THREADS= not mdh run %s --input 1 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: env OMP_NUM_THREADS=99999999 not mdh run %s --input 1 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: the environment variable OMP_NUM_THREADS requires numbers from 1 to 1024, separated by commas, but is '{{(99999999)?}}'
// RUN: env OMP_NUM_THREADS=4,2 mdh run %s --input 1 --check | FileCheck %s --check-prefix=AGREES

// The entry of compiled code does not replace a function of the same name.
func.func @mdh_entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %o : tensor<4xf32>
}
