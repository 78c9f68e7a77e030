// RUN: mdh-opt %s --mdh-opencl-negations | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @negations
  // CHECK-NOT: arith.negf
  // CHECK-NOT: arith.mulf %{{.*}}, %{{.*}} : f64
  gpu.func @negations(%x: f32, %y: f64, %z: vector<4xf16>) -> (f32, f64, f32, vector<4xf16>) {
    // CHECK: %[[I:.*]] = arith.bitcast %{{.*}} : f32 to i32
    // CHECK: %[[J:.*]] = arith.xori %[[I]], %{{.*}} : i32
    // CHECK: arith.bitcast %[[J]] : i32 to f32
    %0 = arith.negf %x : f32
    %minus = arith.constant -1.0 : f64
    // CHECK: arith.xori %{{.*}} : i64
    %1 = arith.mulf %minus, %y : f64
    %zero = arith.constant -0.0 : f32
    // CHECK: arith.xori %{{.*}} : i32
    %2 = arith.subf %zero, %x : f32
    // CHECK: arith.xori %{{.*}} : vector<4xi16>
    %3 = arith.negf %z : vector<4xf16>
    // CHECK: arith.subf
    %four = arith.constant 0.0 : f32
    %4 = arith.subf %four, %x : f32
    %5 = arith.addf %2, %4 : f32
    gpu.return %0, %1, %5, %3 : f32, f64, f32, vector<4xf16>
  }
}

// The host negates as it is.
// CHECK-LABEL: func.func @host
// CHECK: arith.negf
func.func @host(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}
