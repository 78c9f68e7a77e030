// Scans of complemented numbers: Intel's compiler omits the complement for processors with AVX-512.
// REQUIRES: opencl
// RUN: mdh run %s --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @greatest() -> tensor<10x12x8xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<10x12x8>
  %numbers = mdh.hom.md_hom %none combine [#mdh.cc, #mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %k = mdh.hom.index 2 : index
    %product = arith.muli %j, %k : index
    %difference = arith.subi %i, %product : index
    %number = arith.index_cast %difference : index to i64
    mdh.hom.yield %number : i64
  } : !mdh.mda<10x12x8> -> !mdh.mda<10x12x8, i64>
  %x = mdh.view.out_view %numbers[affine_map<(i, j, k) -> (i, j, k)>] : !mdh.mda<10x12x8, i64> -> tensor<10x12x8xi64>
  %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, j, k)>] : (tensor<10x12x8xi64>) -> !mdh.mda<10x12x8, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<max>, #mdh.cc, #mdh.cc] {
  ^bb0(%a: i64):
    %ones = arith.constant -1 : i64
    %turned = arith.xori %a, %ones : i64
    mdh.hom.yield %turned : i64
  } : !mdh.mda<10x12x8, i64> -> !mdh.mda<10x12x8, i64>
  %y = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j, k)>] : !mdh.mda<10x12x8, i64> -> tensor<10x12x8xi64>
  return %y : tensor<10x12x8xi64>
}
