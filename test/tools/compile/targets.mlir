// Errors for processors and features that the target does not have.
// REQUIRES: x86_64
// RUN: not mdh compile %s --emit assembly --cpu skylak 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: unknown processor 'skylak': the nearest known are skylake,
// RUN: not mdh compile %s --emit assembly --features +avx512 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: unknown feature 'avx512': the nearest known are avx512f,
// RUN: mdh compile %s --emit assembly --cpu x86-64-v3 --features +avx512f | FileCheck %s
// CHECK: f:
// The requested processor and features become the target of the module.
// RUN: mdh compile %s --emit check --cpu x86-64-v3 | FileCheck %s --check-prefix=WIDE
// WIDE: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = {{.*}}"mdh.vector_bits" = 256 : i64
// RUN: mdh compile %s --emit check --cpu x86-64-v3 --features -avx | FileCheck %s --check-prefix=NARROW
// NARROW: "mdh.vector_bits" = 128 : i64
// RUN: mdh compile %s --emit check | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: dlti

func.func @f(%x: f32) -> f32 {
  return %x : f32
}
