// Sums of negated maxima, and booleans as signed numbers, on a device.
// REQUIRES: opencl
// RUN: mdh run %s --function negated --input 1 --engine opencl --check | FileCheck %s
// RUN: mdh run %s --function truths --input 1 --engine opencl --check | FileCheck %s
// RUN: mdh run %s --function edges --engine opencl --check | FileCheck %s
// CHECK: agrees with the reference evaluator

#i = affine_map<(i) -> (i)>
func.func @negated(%a: tensor<64xf32>) -> tensor<1xf32> {
  %in = mdh.view.inp_view %a[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%x: f32):
    %i = mdh.hom.index 0 : index
    %j = arith.index_cast %i : index to i64
    %y = arith.sitofp %j : i64 to f32
    %m = arith.maximumf %x, %y : f32
    %n = arith.negf %m : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  %r = mdh.view.out_view %h[affine_map<(i) -> (0)>] : !mdh.mda<1, f32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @truths(%x: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf64>, tensor<4xi1>, tensor<4xi1>) {
  %in = mdh.view.inp_view %x[#i] : (tensor<4xi1>) -> !mdh.mda<4, i1>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i1):
    %b = arith.sitofp %a : i1 to f32
    %c = arith.uitofp %a : i1 to f64
    %d = arith.fptosi %b : f32 to i1
    %e = arith.fptoui %b : f32 to i1
    mdh.hom.yield %b, %c, %d, %e : f32, f64, i1, i1
  } : !mdh.mda<4, i1> -> !mdh.mda<4, f32, f64, i1, i1>
  %y:4 = mdh.view.out_view %h[#i], [#i], [#i], [#i] : !mdh.mda<4, f32, f64, i1, i1> -> tensor<4xf32>, tensor<4xf64>, tensor<4xi1>, tensor<4xi1>
  return %y#0, %y#1, %y#2, %y#3 : tensor<4xf32>, tensor<4xf64>, tensor<4xi1>, tensor<4xi1>
}

// Of 2^i and -2^i, and of an infinity and a NaN; shifts by i bits; and quotients of -3 and an odd number.
func.func @edges() -> (tensor<70xi8>, tensor<70xi32>, tensor<70xi64>, tensor<70xi32>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<70>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %n = arith.index_cast %i : index to i64
    %n32 = arith.trunci %n : i64 to i32
    %exponent = arith.constant 23 : i32
    %bias = arith.constant 187 : i32
    %shifted = arith.addi %n32, %bias : i32
    %bits = arith.shli %shifted, %exponent : i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.negf %x : f32
    %a = arith.fptosi %x : f32 to i8
    %b = arith.fptoui %x : f32 to i8
    %c = arith.xori %a, %b : i8
    %d = arith.fptosi %y : f32 to i32
    %e = arith.fptoui %x : f32 to i32
    %f = arith.xori %d, %e : i32
    %g = arith.fptosi %x : f32 to i64
    %minus = arith.constant -3 : i64
    %s = arith.shrsi %minus, %n : i64
    %k = arith.xori %g, %s : i64
    %minus32 = arith.constant -3 : i32
    %l = arith.shli %minus32, %n32 : i32
    %one = arith.constant 1 : i32
    %odd = arith.ori %n32, %one : i32
    %q = arith.divsi %l, %odd : i32
    mdh.hom.yield %c, %f, %k, %q : i8, i32, i64, i32
  } : !mdh.mda<70> -> !mdh.mda<70, i8, i32, i64, i32>
  %r:4 = mdh.view.out_view %h[#i], [#i], [#i], [#i] : !mdh.mda<70, i8, i32, i64, i32> -> tensor<70xi8>, tensor<70xi32>, tensor<70xi64>, tensor<70xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<70xi8>, tensor<70xi32>, tensor<70xi64>, tensor<70xi32>
}
