// The passes for computations run on functions, as other pipelines nest them; module passes declare systems and remove symbols.
// RUN: mdh-opt %s --pass-pipeline='builtin.module(func.func(mdh-schedule{system=artificial},mdh-partition,mdh-tag-operators,mdh-promote-memory,mdh-lower))' | FileCheck %s
// RUN: mdh-opt %s --pass-pipeline='builtin.module(func.func(mdh-schedule{system=artificial},mdh-partition),mdh-declare-systems)' | FileCheck %s --check-prefix=DECLARED
// RUN: mdh-opt %s --pass-pipeline='builtin.module(func.func(mdh-schedule,mdh-partition,mdh-tag-operators,mdh-promote-memory,mdh-lower),mdh-erase-symbols)' | FileCheck %s --check-prefix=ERASED --implicit-check-not=mdh.
// RUN: mdh-opt %s --lower-mdh -o %t.parallel
// RUN: mdh-opt %s --lower-mdh --mlir-disable-threading -o %t.sequential
// RUN: diff %t.parallel %t.sequential

// CHECK: mdh.hom.operator @join
// DECLARED: mdh.lowlevel.system @artificial
mdh.hom.operator @join commutative (%x: f32, %y: f32) -> (f32) {
  %s = arith.mulf %x, %y : f32
  %t = arith.addf %s, %y : f32
  mdh.hom.yield %t : f32
}

// A product and a sum of an operator may be fused where it is used, but not in its definition.
// CHECK-NOT: fastmath<contract>
// CHECK-LABEL: func.func @first
// CHECK: arith.mulf {{.*}} fastmath<contract>
// DECLARED: func.func @first
// DECLARED: mdh.lowlevel.scalar {{.*}} on @artificial
// ERASED: func.func @first
func.func @first(%x: memref<8xf32>, %r: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<@join>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %h[affine_map<(i) -> ()>] into %r : !mdh.mda<1, f32>, memref<f32>
  return
}

// CHECK-LABEL: func.func @second
// CHECK: arith.mulf {{.*}} fastmath<contract>
// ERASED: func.func @second
func.func @second(%x: memref<8xf32>, %r: memref<f32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<@join>] {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %h[affine_map<(i) -> ()>] into %r : !mdh.mda<1, f32>, memref<f32>
  return
}
