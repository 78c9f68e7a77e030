// RUN: mdh-opt %s --mdh-bf16-memory --verify-diagnostics

gpu.module @kernels {
  llvm.func @sum(%x: bf16) -> bf16 {
    // expected-error @below {{a kernel requires bf16 to be widened for arithmetic, but has 'llvm.fadd' on it}}
    %y = llvm.fadd %x, %x : bf16
    llvm.return %y : bf16
  }
}
