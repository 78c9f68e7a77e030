// RUN: mdh-opt %s --mdh-define-arithmetic | FileCheck %s --implicit-check-not=nsw --implicit-check-not=exact --implicit-check-not=nonNeg
// RUN: mdh run %s --function edges --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function edges --raise false --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function edges --threads 1 | FileCheck %s --check-prefix=EDGES
// RUN: mdh run %s --function scalars --input=-7 --input 8 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function scalars --input=-128 --input=-1 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function constants --input=-7 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function constants --input=-7 | FileCheck %s --check-prefix=CONSTANTS
// AGREES: agrees with the reference evaluator

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: i8, %[[N:.*]]: i8)
func.func @scalars(%x: i8, %n: i8) -> (i8, i8, i8, i8, i8) {
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[N]], %{{.*}} : i8
  // CHECK: %[[S:.*]] = arith.shli %[[X]], %[[N]] : i8
  // CHECK: arith.select %[[INSIDE]], %[[S]], %{{.*}} : i8
  %0 = arith.shli %x, %n overflow<nsw, nuw> : i8
  // CHECK: arith.cmpi ult
  // CHECK: arith.shrui
  // CHECK: arith.select
  %1 = arith.shrui %x, %n exact : i8
  // CHECK: %[[MOST:.*]] = arith.minui %[[N]], %{{.*}} : i8
  // CHECK: arith.shrsi %[[X]], %[[MOST]] : i8
  %2 = arith.shrsi %x, %n : i8
  // CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %[[N]] : i8
  // CHECK: arith.remsi %[[X]], %[[DIVISOR]] : i8
  %3 = arith.remsi %x, %n : i8
  // CHECK: arith.addi %[[X]], %[[N]] : i8
  %4 = arith.addi %x, %n overflow<nsw> : i8
  return %0, %1, %2, %3, %4 : i8, i8, i8, i8, i8
}

// What is known to be defined needs no code.
// CHECK-LABEL: func.func @known
// CHECK-NOT: arith.select
// CHECK-NOT: arith.minui {{.*}} : i32
// CHECK: return
func.func @known(%x: i32, %v: vector<4xi16>, %n: i32, %b: i1) -> (i32, vector<4xi16>, i32, i32, i32, i1, i64) {
  %last = arith.constant 31 : i32
  %mask = arith.constant 15 : i32
  %amounts = arith.constant dense<[0, 1, 2, 15]> : vector<4xi16>
  %0 = arith.shli %x, %last : i32
  %1 = arith.shrsi %v, %amounts : vector<4xi16>
  %low = arith.andi %n, %mask : i32
  %2 = arith.shrui %x, %low : i32
  %3 = arith.shrsi %x, %low : i32
  %4 = arith.remsi %x, %mask : i32
  %5 = arith.remsi %b, %b : i1
  %6 = arith.extui %x {nonNeg} : i32 to i64
  return %0, %1, %2, %3, %4, %5, %6 : i32, vector<4xi16>, i32, i32, i32, i1, i64
}

// CONSTANTS: result 1: i32
// CONSTANTS-NEXT: 0
// CONSTANTS: result 2: i32
// CONSTANTS-NEXT: -1
// CONSTANTS: result 3: i32
// CONSTANTS-NEXT: 0
func.func @constants(%x: i32) -> (i32, i32, i32) {
  %width = arith.constant 32 : i32
  %negative = arith.constant -1 : i32
  %0 = arith.shli %x, %width : i32
  %1 = arith.shrsi %x, %negative : i32
  %2 = arith.remsi %x, %negative : i32
  return %0, %1, %2 : i32, i32, i32
}

// By all amounts from -20 to 20, in all types, as vectors.
// EDGES: result 1: 41xi8
// EDGES-NEXT: [{{( +0)+}}{{( +-?[1-9][0-9]*)+}}{{( +0)+}}]
#i = affine_map<(i) -> (i)>
func.func @edges() -> (tensor<41xi8>, tensor<41xi16>, tensor<41xi32>, tensor<41xi64>, tensor<41xi1>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<41>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %middle = arith.constant 20 : index
    %n = arith.subi %i, %middle : index
    %n64 = arith.index_cast %n : index to i64
    %n32 = arith.trunci %n64 : i64 to i32
    %n16 = arith.trunci %n64 : i64 to i16
    %n8 = arith.trunci %n64 : i64 to i8
    %n1 = arith.trunci %n64 : i64 to i1
    %x64 = arith.constant -3 : i64
    %x32 = arith.constant -3 : i32
    %x16 = arith.constant -3 : i16
    %x8 = arith.constant -3 : i8
    %a8 = arith.shli %x8, %n8 : i8
    %four = arith.constant 4 : i64
    %m64 = arith.muli %n64, %four : i64
    %m32 = arith.trunci %m64 : i64 to i32
    %a16 = arith.shrui %x16, %n16 : i16
    %r16 = arith.shrsi %x16, %n16 : i16
    %b16 = arith.xori %a16, %r16 : i16
    %l32 = arith.shli %x32, %m32 : i32
    %r32 = arith.shrui %l32, %n32 : i32
    %l64 = arith.shli %x64, %m64 : i64
    %r64 = arith.shrsi %x64, %m64 : i64
    %b64 = arith.xori %l64, %r64 : i64
    %b1 = arith.shli %n1, %n1 : i1
    %one = arith.constant 1 : i32
    %odd = arith.ori %m32, %one : i32
    %rest = arith.remsi %x32, %odd : i32
    %b32 = arith.xori %r32, %rest : i32
    mdh.hom.yield %a8, %b16, %b32, %b64, %b1 : i8, i16, i32, i64, i1
  } : !mdh.mda<41> -> !mdh.mda<41, i8, i16, i32, i64, i1>
  %r:5 = mdh.view.out_view %h[#i], [#i], [#i], [#i], [#i] : !mdh.mda<41, i8, i16, i32, i64, i1> -> tensor<41xi8>, tensor<41xi16>, tensor<41xi32>, tensor<41xi64>, tensor<41xi1>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<41xi8>, tensor<41xi16>, tensor<41xi32>, tensor<41xi64>, tensor<41xi1>
}
