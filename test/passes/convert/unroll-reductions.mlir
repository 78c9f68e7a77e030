// The innermost reductions of kernels are unrolled by the largest factor that divides the trip count and keeps the code small.
// RUN: mdh-opt %s --mdh-unroll-reductions | FileCheck %s

// CHECK-DAG: #[[EIGHT:.*]] = #llvm.loop_unroll<count = 8 : i32>
// CHECK-DAG: #[[FOUR:.*]] = #llvm.loop_unroll<count = 4 : i32>
// CHECK-DAG: #[[BY_EIGHT:.*]] = #llvm.loop_annotation<unroll = #[[EIGHT]]>
// CHECK-DAG: #[[BY_FOUR:.*]] = #llvm.loop_annotation<unroll = #[[FOUR]]>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sum
  gpu.func @sum(%x: memref<96xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c96 = arith.constant 96 : index
    %zero = arith.constant 0.0 : f32
    // A loop that contains another loop, or has no result, is left alone.
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK: } {llvm.loop_annotation = #[[BY_EIGHT]]}
    // CHECK-NOT: llvm.loop_annotation
    // CHECK: scf.yield
    // CHECK-NEXT: }{{$}}
    %0 = scf.for %i = %c0 to %c96 step %c1 iter_args(%s = %zero) -> (f32) {
      %r = scf.for %k = %c0 to %c96 step %c1 iter_args(%t = %s) -> (f32) {
        %v = memref.load %x[%k] : memref<96xf32>
        %u = arith.addf %t, %v : f32
        scf.yield %u : f32
      }
      scf.yield %r : f32
    }
    scf.for %i = %c0 to %c96 step %c1 {
      memref.store %0, %x[%i] : memref<96xf32>
    }
    // CHECK: scf.for
    // CHECK: } {llvm.loop_annotation = #[[BY_FOUR]]}
    %1 = scf.for %k = %c0 to %c12 step %c1 iter_args(%t = %0) -> (f32) {
      %v = memref.load %x[%k] : memref<96xf32>
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    // 13 has no divisor; the other loops have an unknown trip count or another step.
    // CHECK-NOT: llvm.loop_annotation
    // CHECK: gpu.return
    %2 = scf.for %k = %c0 to %c13 step %c1 iter_args(%t = %1) -> (f32) {
      %v = memref.load %x[%k] : memref<96xf32>
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    %3 = scf.for %k = %c0 to %n step %c1 iter_args(%t = %2) -> (f32) {
      %v = memref.load %x[%k] : memref<96xf32>
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    %4 = scf.for %k = %c0 to %c96 step %c2 iter_args(%t = %3) -> (f32) {
      %v = memref.load %x[%k] : memref<96xf32>
      %u = arith.addf %t, %v : f32
      scf.yield %u : f32
    }
    gpu.return %4 : f32
  }
}

// Loops outside of kernels are left alone.
// CHECK-LABEL: func.func @host
// CHECK-NOT: llvm.loop_annotation
func.func @host(%x: memref<96xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %k = %c0 to %c96 step %c1 iter_args(%t = %zero) -> (f32) {
    %v = memref.load %x[%k] : memref<96xf32>
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  return %0 : f32
}
