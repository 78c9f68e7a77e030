// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-lower --canonicalize --cse | FileCheck %s
// RUN: mdh-opt %s --mdh-partition --mdh-tag-operators --mdh-promote-memory --mdh-keep-order --mdh-lower --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=NESTED

mdh.lowlevel.system @machine memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes] combine [MM, REG]

// Two dimensions are reduced in one accumulator or, in the order of the definition, the inner one in its own.
// CHECK-LABEL: func.func @sum
// NESTED-LABEL: func.func @sum
func.func @sum(%x: memref<64x48xf32>, %y: memref<f32>) {
  // CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
  // CHECK: %[[ALL:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[OUTER]])
  // CHECK: scf.yield %[[ALL]]
  // NESTED: %[[ZERO:.*]] = arith.constant -0.0{{.*}} : f32
  // NESTED: scf.for %{{.*}} iter_args(%[[OUTER:.*]] = %[[ZERO]])
  // NESTED: %[[ROW:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
  // NESTED: %[[BOTH:.*]] = arith.addf %[[OUTER]], %[[ROW]]
  // NESTED: scf.yield %[[BOTH]]
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<64x48xf32>) -> !mdh.mda<64x48, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>, #mdh.pw<add>] attributes {schedule = {system = @machine,
      parts = [[1, 1], [64, 48], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64x48, f32> -> !mdh.mda<1x1, f32>
  mdh.view.out_view %r[affine_map<(i, j) -> ()>] into %y : !mdh.mda<1x1, f32>, memref<f32>
  return
}
