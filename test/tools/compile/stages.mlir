// Every stage of compilation can be emitted, and everything after it.
// RUN: mdh compile %s --emit hom | FileCheck %s --check-prefix=HOM
// RUN: mdh compile %s --emit promote-memory | FileCheck %s --check-prefix=LOWLEVEL
// RUN: mdh compile %s --emit loops --system openmp --function first -o - | FileCheck %s --check-prefix=LOOPS
// RUN: mdh compile %s --emit llvm | FileCheck %s --check-prefix=LLVM
// RUN: mdh compile %s --emit llvm-ir --cpu x86-64-v3 --features=-fma | FileCheck %s --check-prefix=IR
// RUN: mdh compile %s --emit assembly --opt-level 0 | FileCheck %s --check-prefix=ASSEMBLY
// REQUIRES: x86_64
// HOM: mdh.hom.md_hom
// LOWLEVEL: mdh.lowlevel.scalar
// LOOPS: func.func @first
// LOOPS: scf.for
// LOOPS-NOT: @second
// LLVM: llvm.func @first
// LLVM: llvm.func @second
// LLVM-NOT: unrealized_conversion_cast
// IR: target triple = "x86_64-{{.*}}linux-gnu"
// IR: define {{.*}}@first(ptr
// IR: "target-cpu"="x86-64-v3" "target-features"="-fma"
// ASSEMBLY: .globl first
// ASSEMBLY: first:

func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %out = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %out : tensor<8xf32>
}

func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
