// Devices compute with integer widths that SPIR-V lacks.
// REQUIRES: opencl
// RUN: mdh run %s --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @widths() -> tensor<300xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<300>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    %factor = arith.constant 1234567 : i64
    %large = arith.muli %x, %factor : i64
    %other = arith.xori %large, %x : i64
    %a = arith.trunci %large : i64 to i13
    %b = arith.trunci %other : i64 to i13
    %seven = arith.constant 7 : i13
    %product = arith.muli %a, %b : i13
    %quotient = arith.divsi %product, %seven : i13
    %rest = arith.remui %b, %seven : i13
    %left = arith.shli %a, %rest : i13
    %right = arith.shrsi %product, %rest : i13
    %zeros = arith.shrui %product, %rest : i13
    %smaller = arith.minsi %left, %right : i13
    %larger = arith.maxui %zeros, %quotient : i13
    %is_less = arith.cmpi slt, %left, %product : i13
    %is_below = arith.cmpi ult, %right, %product : i13
    %chosen = arith.select %is_less, %smaller, %larger : i13
    %sum = arith.addi %chosen, %left : i13
    %signed = arith.extsi %sum : i13 to i64
    %unsigned = arith.extui %quotient : i13 to i64
    %wider = arith.extsi %larger : i13 to i29
    %square = arith.muli %wider, %wider : i29
    %wide = arith.extsi %square : i29 to i64
    %below = arith.extui %is_below : i1 to i64
    %y0 = arith.addi %signed, %unsigned : i64
    %y1 = arith.muli %y0, %factor : i64
    %y2 = arith.addi %y1, %wide : i64
    %y3 = arith.subi %y2, %below : i64
    mdh.hom.yield %y3 : i64
  } : !mdh.mda<300> -> !mdh.mda<300, i64>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<300, i64> -> tensor<300xi64>
  return %w : tensor<300xi64>
}
