// RUN: mdh-opt %s --mdh-keep-roundings | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM

// The casts that upstream's emulation of bf16 makes keep their roundings.
// CHECK-LABEL: func.func @casts
func.func @casts(%x: f32) -> f32 {
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %a = arith.truncf %x fastmath<contract> : f32 to bf16
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  %b = arith.extf %a fastmath<contract> : bf16 to f32
  return %b : f32
}

// So each operation rounds: to bf16, which makes integers of it, between the two.
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
