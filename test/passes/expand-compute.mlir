// RUN: mdh-opt %s --mdh-expand-compute --split-input-file | FileCheck %s

// The two programs published on mdh-lang.org, verbatim.
func.func private @mul(%m: f32, %x: f32) -> f32 {
  %p = arith.mulf %m, %x : f32
  return %p : f32
}
// CHECK: mdh.hom.operator @add_operator commutative (%[[X:.*]]: f32, %[[Y:.*]]: f32) -> (f32) {
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: mdh.hom.yield %[[SUM]] : f32
func.func private @add(%x: f32, %y: f32) -> f32 {
  %s = arith.addf %x, %y : f32
  return %s : f32
}
// CHECK-LABEL: func.func @matvec
func.func @matvec(%M: memref<128x64xf32>, %v: memref<64xf32>) -> memref<128xf32> {
  // CHECK: %[[IN:.*]] = mdh.view.inp_view %{{.*}}[#{{.*}}], %{{.*}}[#{{.*}}] : (memref<128x64xf32>, memref<64xf32>) -> !mdh.mda<128x64, f32, f32>
  // CHECK: %[[R:.*]] = mdh.hom.md_hom %[[IN]] combine [#mdh.cc, #mdh.pw<@add_operator>] {
  // CHECK: arith.mulf
  // CHECK: !mdh.mda<128x64, f32, f32> -> !mdh.mda<128x1, f32>
  // CHECK: mdh.view.out_view %[[R]][#{{.*}}] : !mdh.mda<128x1, f32> -> memref<128xf32>
  %w = mdh.compute "mdh_matvec" { inp_view = [ [ affine_map<( i,k ) -> ( i,k )> ], [ affine_map<( i,k ) -> ( k )  > ] ],
    md_hom = { scalar_func = @mul, combine_ops = [ "cc", ["pw",@add] ] },
    out_view = [ [ affine_map<( i,k ) -> ( i )> ] ] }
   { inp_types = [ f32, f32 ], mda_size  = [ 128,64 ], out_types = [ f32 ] }( %M,%v ) : ( memref<128x64xf32> , memref<64xf32> ) -> memref<128xf32>
  return %w : memref<128xf32>
}
func.func private @jacobi(%l: f32, %c: f32, %r: f32) -> f32 {
  %a = arith.addf %l, %c : f32
  %b = arith.addf %a, %r : f32
  return %b : f32
}
// CHECK-LABEL: func.func @jacobi1d
func.func @jacobi1d(%x: memref<64xf32>) -> memref<62xf32> {
  // CHECK: mdh.view.inp_view %{{.*}}[#{{.*}}, #{{.*}}, #{{.*}}] : (memref<64xf32>) -> !mdh.mda<62, f32, f32, f32>
  // CHECK: combine [#mdh.cc]
  %y = mdh.compute "mdh_jacobi1d" { inp_view = [ [ affine_map<( i ) -> ( i+0 )>, affine_map<( i ) -> ( i+1 )>, affine_map<( i ) -> ( i+2 )> ] ],
    md_hom = { scalar_func = @jacobi, combine_ops = [ "cc" ] },
    out_view = [ [ affine_map<( i ) -> ( i )> ] ] }
   { inp_types = [ f32 ], mda_size = [ 62 ], out_types = [ f32 ] }( %x ) : ( memref<64xf32> ) -> memref<62xf32>
  return %y : memref<62xf32>
}

// -----

// The function of a prefix sum becomes an operator that need not commute; an mdh.hom.operator is used as it is.
func.func private @id(%x: i32) -> i32 {
  return %x : i32
}
// CHECK: mdh.hom.operator @last_operator (%{{.*}}: i32, %[[Y:.*]]: i32) -> (i32) {
// CHECK-NEXT: mdh.hom.yield %[[Y]] : i32
func.func private @last(%x: i32, %y: i32) -> i32 {
  return %y : i32
}
mdh.hom.operator @largest commutative (%a: i32, %b: i32) -> (i32) {
  %m = arith.maxsi %a, %b : i32
  mdh.hom.yield %m : i32
}
func.func @both(%x: memref<8xi32>) -> (memref<8xi32>, memref<i32>) {
  // CHECK: combine [#mdh.ps<@last_operator>]
  %y = mdh.compute "scan" { inp_view = [[affine_map<(i) -> (i)>]], md_hom = { scalar_func = @id, combine_ops = [["ps", @last]] },
    out_view = [[affine_map<(i) -> (i)>]] } { inp_types = [i32], mda_size = [8], out_types = [i32] } (%x) : (memref<8xi32>) -> memref<8xi32>
  // CHECK: combine [#mdh.pw<@largest>]
  %z = mdh.compute "reduce" { inp_view = [[affine_map<(i) -> (i)>]], md_hom = { scalar_func = @id, combine_ops = [["pw", @largest]] },
    out_view = [[affine_map<(i) -> ()>]] } { inp_types = [i32], mda_size = [8], out_types = [i32] } (%x) : (memref<8xi32>) -> memref<i32>
  return %y, %z : memref<8xi32>, memref<i32>
}

// -----

// The name that the function's operator would have is taken by another operator.
func.func private @id(%x: f32) -> f32 {
  return %x : f32
}
mdh.hom.operator @add_operator commutative (%a: f32, %b: f32) -> (f32) {
  %p = arith.mulf %a, %b : f32
  mdh.hom.yield %p : f32
}
// CHECK: mdh.hom.operator @add_operator_0 commutative (%[[X:.*]]: f32, %[[Y:.*]]: f32) -> (f32) {
// CHECK-NEXT: arith.addf %[[X]], %[[Y]] : f32
// CHECK-NOT: mdh.hom.operator
func.func private @add(%x: f32, %y: f32) -> f32 {
  %s = arith.addf %x, %y : f32
  return %s : f32
}
// CHECK-LABEL: func.func @sums
func.func @sums(%x: memref<8xf32>) -> (memref<f32>, memref<f32>) {
  // CHECK: combine [#mdh.pw<@add_operator_0>]
  %y = mdh.compute "sum" { inp_view = [[affine_map<(i) -> (i)>]], md_hom = { scalar_func = @id, combine_ops = [["pw", @add]] },
    out_view = [[affine_map<(i) -> ()>]] } { inp_types = [f32], mda_size = [8], out_types = [f32] } (%x) : (memref<8xf32>) -> memref<f32>
  // CHECK: combine [#mdh.pw<@add_operator_0>]
  %z = mdh.compute "sum" { inp_view = [[affine_map<(i) -> (i)>]], md_hom = { scalar_func = @id, combine_ops = [["pw", @add]] },
    out_view = [[affine_map<(i) -> ()>]] } { inp_types = [f32], mda_size = [8], out_types = [f32] } (%x) : (memref<8xf32>) -> memref<f32>
  return %y, %z : memref<f32>, memref<f32>
}

// -----

// A function makes one operator. It commutes because one of the entries is a point-wise combination, in any order of the entries.
func.func private @id(%x: f32) -> f32 {
  return %x : f32
}
// CHECK: mdh.hom.operator @add_operator commutative
// CHECK-NOT: mdh.hom.operator
func.func private @add(%x: f32, %y: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %a = arith.addf %x, %zero : f32
  %s = arith.addf %a, %y : f32
  return %s : f32
}
// CHECK-LABEL: func.func @prefixes
func.func @prefixes(%x: memref<4x2xf32>) -> memref<4xf32> {
  // CHECK: combine [#mdh.ps<@add_operator>, #mdh.pw<@add_operator>]
  %y = mdh.compute "prefixes" { inp_view = [[affine_map<(i, j) -> (i, j)>]],
    md_hom = { scalar_func = @id, combine_ops = [["ps", @add], ["pw", @add]] }, out_view = [[affine_map<(i, j) -> (i)>]] }
    { inp_types = [f32], mda_size = [4, 2], out_types = [f32] } (%x) : (memref<4x2xf32>) -> memref<4xf32>
  return %y : memref<4xf32>
}

// -----

// It also commutes if each of its results is a commutative operation on the arguments of its component.
func.func private @id(%x: f32, %i: i32) -> (f32, i32) {
  return %x, %i : f32, i32
}
// CHECK: mdh.hom.operator @sums_operator commutative
func.func private @sums(%x: f32, %i: i32, %y: f32, %j: i32) -> (f32, i32) {
  %s = arith.addf %x, %y : f32
  %m = arith.maxsi %j, %i : i32
  return %s, %m : f32, i32
}
func.func @summed_area(%x: memref<4x2xf32>, %n: memref<4x2xi32>) -> (memref<4x2xf32>, memref<4x2xi32>) {
  // CHECK: combine [#mdh.ps<@sums_operator>, #mdh.ps<@sums_operator>]
  %y:2 = mdh.compute "summed_area" { inp_view = [[affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>]],
    md_hom = { scalar_func = @id, combine_ops = [["ps", @sums], ["ps", @sums]] },
    out_view = [[affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>]] }
    { inp_types = [f32, i32], mda_size = [4, 2], out_types = [f32, i32] } (%x, %n)
    : (memref<4x2xf32>, memref<4x2xi32>) -> (memref<4x2xf32>, memref<4x2xi32>)
  return %y#0, %y#1 : memref<4x2xf32>, memref<4x2xi32>
}
