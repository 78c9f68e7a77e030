// A nest that is raised is called in place of its loop, and the function of another one is erased.
// RUN: mdh-opt %s --mdh-call-nests | FileCheck %s
// RUN: mdh-opt %s --mdh-call-nests --mdh-call-nests | FileCheck %s

// CHECK-LABEL: func.func private @sum_nest
func.func private @sum_nest(%n: i64, %A: memref<?xf64>, %s: f64) -> f64 {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<?xf64>) -> !mdh.mda<?, f64>
  %t = memref.alloca() : memref<1xf64>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f64):
    mdh.hom.yield %a : f64
  } : !mdh.mda<?, f64> -> !mdh.mda<1, f64>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %t : !mdh.mda<1, f64>, memref<1xf64>
  return %s : f64
}
// CHECK-NOT: @copy_nest
func.func private @copy_nest(%n: i64, %A: memref<?xf64>, %x: f64) {
  return
}
// CHECK-LABEL: llvm.func @sum
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf64>
// CHECK: %[[S:.*]] = func.call @sum_nest(%arg0, %[[A]], %arg1)
// CHECK-NEXT: llvm.br ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: llvm.return %[[S]]
llvm.func @sum(%n: i64, %start: f64, %A: !llvm.ptr) -> f64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%zero, %start : i64, f64) {mdh.nest = @sum_nest}
^header(%i: i64, %s: f64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^body, ^after
^body:
  %p = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %t = llvm.fadd %s, %a : f64
  %j = llvm.add %i, %one overflow<nsw> : i64
  llvm.br ^header(%j, %t : i64, f64)
^after:
  llvm.return %s : f64
}
// CHECK-LABEL: llvm.func @copy
// CHECK-NOT: mdh.nest
// CHECK: llvm.store
llvm.func @copy(%n: i64, %x: f64, %A: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%zero : i64) {mdh.nest = @copy_nest}
^header(%i: i64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^body, ^after
^body:
  %p = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %j = llvm.add %i, %one overflow<nsw> : i64
  llvm.br ^header(%j : i64)
^after:
  llvm.return
}
