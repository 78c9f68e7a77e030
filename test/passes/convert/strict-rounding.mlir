// RUN: mdh-opt %s --mdh-strict-rounding | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM

// The casts of upstream's emulation of bf16 keep their rounding.
// CHECK-LABEL: func.func @casts
func.func @casts(%x: f32) -> f32 {
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %a = arith.truncf %x fastmath<contract> : f32 to bf16
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  %b = arith.extf %a fastmath<contract> : bf16 to f32
  return %b : f32
}

// So each operation rounds: to bf16, by integer arithmetic, between the two.
// LLVM-LABEL: llvm.func @operations
func.func @operations(%x: bf16, %y: bf16) -> bf16 {
  // LLVM: llvm.fadd
  // LLVM: llvm.lshr
  // LLVM: llvm.fmul
  // LLVM: llvm.lshr
  %a = arith.addf %x, %y : bf16
  %b = arith.mulf %a, %y : bf16
  return %b : bf16
}

// In kernels, casts between bf16 and f64 go through f32. Narrowing first rounds to odd, so that only the second rounding is effective.
// CHECK-LABEL: func.func @wide
gpu.module @kernels {
  func.func @wide(%x: f64, %y: vector<4xbf16>) -> (bf16, vector<4xf64>) {
    // CHECK: %[[N:.*]] = arith.truncf %[[X:.*]] : f64 to f32
    // CHECK: %[[W:.*]] = arith.extf %[[N]] : f32 to f64
    // CHECK: arith.cmpf one, %[[X]], %[[W]] : f64
    // CHECK: %[[O:.*]] = arith.bitcast %{{.*}} : i32 to f32
    // CHECK: arith.truncf %[[O]] : f32 to bf16
    %a = arith.truncf %x : f64 to bf16
    // CHECK: %[[Y:.*]] = arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
    // CHECK: arith.extf %[[Y]] : vector<4xf32> to vector<4xf64>
    %b = arith.extf %y : vector<4xbf16> to vector<4xf64>
    return %a, %b : bf16, vector<4xf64>
  }
}
