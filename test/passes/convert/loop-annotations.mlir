// RUN: mdh-opt %s --mdh-loop-annotations | FileCheck %s
// RUN: mdh-opt %s --mdh-loop-annotations | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// The annotation becomes an attribute of the branch, and thereby metadata in LLVM IR.
#unroll = #llvm.loop_annotation<unroll = <full = true>>
// CHECK-LABEL: llvm.func @loop
llvm.func @loop(%n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %next = llvm.add %i, %one : i64
  // CHECK: llvm.br ^{{.*}} {loop_annotation = #{{.*}}}
  // LLVM: br label %{{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
  // LLVM: ![[LOOP]] = distinct !{![[LOOP]], ![[UNROLL:[0-9]+]]}
  // LLVM: ![[UNROLL]] = !{!"llvm.loop.unroll.full"}
  llvm.br ^head(%next : i64) {llvm.loop_annotation = #unroll}
^end:
  llvm.return
}
