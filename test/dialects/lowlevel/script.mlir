// Schedules as scripts: round trip.
// RUN: mdh-opt %s | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --emit-bytecode | mdh-opt | FileCheck %s
// Commands have side effects, and the function is used.
// RUN: mdh-opt %s --canonicalize --cse --symbol-dce | FileCheck %s

// CHECK: mdh.lowlevel.schedule @f computation 2 on @cuda {
// CHECK-NEXT: ^bb0(%[[I:.*]]: !mdh.loop, %[[K:.*]]: !mdh.loop):
// CHECK-NEXT: %[[A:.*]]:3 = mdh.lowlevel.tile %[[I]] by [8, ?]
// CHECK-NEXT: %[[B:.*]]:2 = mdh.lowlevel.tile %[[K]] into [16]
// CHECK-NEXT: mdh.lowlevel.interchange %[[A]]#0, %[[B]]#0, %[[A]]#1
// CHECK-NEXT: mdh.lowlevel.interchange %[[B]]#0, %[[A]]#0 phase recompose
// CHECK-NEXT: mdh.lowlevel.parallelize %[[A]]#0{{$}}
// CHECK-NEXT: mdh.lowlevel.parallelize %[[B]]#0 on CC along y phase scalar
// CHECK-NEXT: mdh.lowlevel.sequentialize %[[A]]#1 on "a layer" phase decompose
// CHECK-NEXT: mdh.lowlevel.vectorize %[[A]]#2
// CHECK-NEXT: mdh.lowlevel.unroll %[[B]]#1
// CHECK-NEXT: mdh.lowlevel.cache input 1 in SM at %[[B]]#1 layout [2, 1] pad 1 buffers 2
// CHECK-NEXT: mdh.lowlevel.cache input 2 in RM{{$}}
// CHECK-NEXT: mdh.lowlevel.layout input 1 [2, 1, 2] at %[[A]]#0
// CHECK-NEXT: mdh.lowlevel.layout output 1 [1]
// CHECK-NEXT: mdh.lowlevel.combine_in output 1 RM at %[[A]]#1 layout [1]
// CHECK-NEXT: mdh.lowlevel.compute_at computation 3 level(1, 2)
// CHECK-NEXT: }
mdh.lowlevel.schedule @f computation 2 on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2, %i3 = mdh.lowlevel.tile %i by [8, ?]
  %k1, %k2 = mdh.lowlevel.tile %k into [16]
  mdh.lowlevel.interchange %i1, %k1, %i2
  mdh.lowlevel.interchange %k1, %i1 phase recompose
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.parallelize %k1 on CC along y phase scalar
  mdh.lowlevel.sequentialize %i2 on "a layer" phase decompose
  mdh.lowlevel.vectorize %i3
  mdh.lowlevel.unroll %k2
  mdh.lowlevel.cache input 1 in SM at %k2 layout [2, 1] pad 1 buffers 2
  mdh.lowlevel.cache input 2 in RM
  mdh.lowlevel.layout input 1 [2, 1, 2] at %i1
  mdh.lowlevel.layout output 1 [1]
  mdh.lowlevel.combine_in output 1 RM at %i2 layout [1]
  mdh.lowlevel.compute_at computation 3 level(1, 2)
}

// CHECK: mdh.lowlevel.schedule @f {
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
}

// CHECK: func.func private @f
func.func private @f() {
  return
}
