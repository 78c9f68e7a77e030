// An error in one of many threads: one message with the location, and no output file is left.
// RUN: rm -rf %t && mkdir -p %t
// RUN: not mdh run %s --input 7 --input 0 --threads 8 --output %t/a.npy > %t.first 2>&1
// RUN: FileCheck %s --check-prefix=ZERO --match-full-lines --input-file %t.first
// RUN: not mdh run %s --input -2147483648 --input -1 --threads 1 --output %t/a.npy > %t.second 2>&1
// RUN: FileCheck %s --check-prefix=LEAST --match-full-lines --input-file %t.second
// RUN: ls -A %t | count 0
// ZERO-NOT: {{.}}
// ZERO: {{.*}}division.mlir:[[#@LINE+15]]:17: error: division by zero
// ZERO-NOT: {{.}}
// LEAST-NOT: {{.}}
// LEAST: {{.*}}division.mlir:[[#@LINE+12]]:17: error: signed division of -2147483648 by -1 leaves i32
// LEAST-NOT: {{.}}
// RUN: mdh run %s --input -2147483648 --input 1 --threads 8 --output %t/a.npy --check | FileCheck %s --check-prefix=DEFINED
// DEFINED: agrees with the reference evaluator
// RUN: ls -A %t | FileCheck %s --check-prefix=FILE --match-full-lines
// FILE: a.npy

#i = affine_map<(i) -> (i)>
func.func @divide(%x: tensor<65536xi32>, %y: tensor<65536xi32>) -> tensor<65536xi32> {
  %in = mdh.view.inp_view %x[#i], %y[#i] : (tensor<65536xi32>, tensor<65536xi32>) -> !mdh.mda<65536, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32, %b: i32):
    %quotient = arith.divsi %a, %b : i32
    mdh.hom.yield %quotient : i32
  } : !mdh.mda<65536, i32, i32> -> !mdh.mda<65536, i32>
  %out = mdh.view.out_view %res[#i] : !mdh.mda<65536, i32> -> tensor<65536xi32>
  return %out : tensor<65536xi32>
}
