// RUN: mdh-opt %s --mdh-partition --split-input-file | FileCheck %s

// Orders differ between the phases; a count does not divide the extent; the user's destination and names are kept.
mdh.lowlevel.system @small memory [MM: global] cores [COR: threads]

// CHECK-LABEL: func.func @orders
func.func @orders(%A: memref<7x10xi32>, %out: memref<7xi32>) {
  %in = mdh.view.inp_view %A[affine_map<(i, k) -> (i, k)>] : (memref<7x10xi32>) -> !mdh.mda<7x10, i32>
  // CHECK: %[[D1:.*]] = mdh.lowlevel.decompose %{{.*}} level(1, 2) parts 4 :
  // CHECK-NEXT: %[[D2:.*]] = mdh.lowlevel.decompose %[[D1]] level(2, 2) parts 3 :
  // CHECK-NEXT: %[[D3:.*]] = mdh.lowlevel.decompose %[[D2]] level(1, 1) parts 1 :
  // CHECK-NEXT: %[[D4:.*]] = mdh.lowlevel.decompose %[[D3]] level(2, 1) parts 7 :
  // CHECK-NEXT: %[[S:.*]] = mdh.lowlevel.scalar %[[D4]] on @small order {{\[}}[1, 2], [3, 4]] attributes {dimension_names = ["i", "k"], mdh.schedule = {
  // CHECK: -> {{.*}}<7x10, i32>
  // CHECK-NEXT: %[[R4:.*]] = mdh.lowlevel.recompose %[[S]] combine #mdh.pw<add> level(1, 2) parts 4 : {{.*}} -> {{.*}}<7x3, i32>
  // CHECK-NEXT: %[[R3:.*]] = mdh.lowlevel.recompose %[[R4]] combine #mdh.cc level(1, 1) parts 1 : {{.*}} -> {{.*}}<7x3, i32>
  // CHECK-NEXT: %[[R2:.*]] = mdh.lowlevel.recompose %[[R3]] combine #mdh.pw<add> level(2, 2) parts 3 : {{.*}} -> {{.*}}<7x1, i32>
  // CHECK-NEXT: %[[R1:.*]] = mdh.lowlevel.recompose %[[R2]] combine #mdh.cc level(2, 1) parts 7 : {{.*}} -> {{.*}}<7x1, i32>
  // CHECK-NEXT: mdh.view.out_view %[[R1]][{{.*}}] into %{{.*}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {dimension_names = ["i", "k"], schedule = {
    system = @small, parts = [[1, 4], [7, 3]],
    decompose = {order = [[3, 1], [4, 2]], tags = [["MM,x", "COR,y"], ["COR,x", "MM,y"]]},
    scalar = {order = [[1, 2], [3, 4]]},
    recompose = {order = [[3, 4], [1, 2]]}
  }} {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<7x10, i32> -> !mdh.mda<7x1, i32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %out : !mdh.mda<7x1, i32>, memref<7xi32>
  return
}

// -----

// The part count of a dynamic extent is derived from it.
mdh.lowlevel.system @small memory [MM: global] cores [COR: threads]

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%A: tensor<?xf64>) -> tensor<f64> {
  %in = mdh.view.inp_view %A[affine_map<(k) -> (k)>] : (tensor<?xf64>) -> !mdh.mda<?, f64>
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(1, 1) parts 8 :
  // CHECK: mdh.lowlevel.decompose %{{.*}} level(2, 1) parts ? :
  // CHECK: -> {{.*}}<?, f64>
  // CHECK-NEXT: mdh.lowlevel.recompose %{{.*}} combine #mdh.pw<max> level(2, 1) parts ? : {{.*}} -> {{.*}}<8, f64>
  // CHECK-NEXT: mdh.lowlevel.recompose %{{.*}} combine #mdh.pw<max> level(1, 1) parts 8 : {{.*}} -> {{.*}}<1, f64>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<max>] attributes {schedule = {
    system = @small, parts = [[8], ["?"]], decompose = {tags = [["COR,x"], ["MM,x"]]}
  }} {
  ^bb0(%a: f64):
    mdh.hom.yield %a : f64
  } : !mdh.mda<?, f64> -> !mdh.mda<1, f64>
  %o = mdh.view.out_view %r[affine_map<(k) -> ()>] : !mdh.mda<1, f64> -> tensor<f64>
  return %o : tensor<f64>
}
