// Attributes of a function's arguments say nothing of the arguments of its other blocks: %x and %y are one memref.
// RUN: mdh-opt %s --mdh-raise --verify-diagnostics | FileCheck %s
// CHECK-NOT: mdh.hom.md_hom

func.func @blocks(%a: memref<12xi32> {llvm.noalias}, %b: memref<12xi32>) {
  %one = arith.constant 1 : i32
  cf.br ^next(%b, %b : memref<12xi32>, memref<12xi32>)
^next(%x: memref<12xi32>, %y: memref<12xi32>):
  // expected-remark @below {{is not raised: requires memrefs that do not share memory}}
  affine.for %i = 0 to 11 {
    %t = affine.load %x[%i] : memref<12xi32>
    %s = arith.addi %t, %one : i32
    affine.store %s, %y[%i + 1] : memref<12xi32>
  }
  return
}
