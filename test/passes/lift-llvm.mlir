// Loops of the LLVM dialect become functions on memrefs, and structured loops by upstream's passes.
// RUN: mdh-opt %s --mdh-lift-llvm 2>%t.err | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=STAYS
// RUN: mdh-opt %s --pass-pipeline="builtin.module(mdh-lift-llvm{function=total},func.func(lift-cf-to-scf,canonicalize),mdh-delinearize,mdh-raise)" 2>/dev/null | FileCheck %s --check-prefix=RAISED
// RUN: not mdh-opt %s --pass-pipeline="builtin.module(mdh-lift-llvm{function=called required=true})" 2>&1 | FileCheck %s --check-prefix=REQUIRED

// REQUIRED: error: 'llvm.call' op cannot be lifted: requires no calls, but 'puts' is called

llvm.mlir.global external @table() {addr_space = 0 : i32} : !llvm.array<10 x array<20 x f32>>
llvm.func @puts(!llvm.ptr) -> i32

// A value that is used after the loop is a result; numbers from outside are arguments, and integer arithmetic is computed anew.
// CHECK-LABEL: func.func private @total_nest(%arg0: i32, %arg1: i32, %arg2: memref<?xf64> {llvm.noalias}, %arg3: f64) -> f64 attributes {mdh.nest}
// CHECK: %[[M:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: cf.br ^bb1(%{{.*}}, %arg3 : i32, f64)
// CHECK: ^bb1(%[[I:.*]]: i32, %[[S:.*]]: f64):
// CHECK: arith.cmpi slt, %[[I]], %arg0 : i32
// CHECK: arith.muli %{{.*}}, %[[M]] overflow<nsw> : i64
// CHECK: memref.load %arg2[%{{.*}}] : memref<?xf64>
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f64
// CHECK: arith.addf %[[P]], %[[S]] fastmath<contract> : f64
// CHECK: return %[[S]] : f64
// CHECK-LABEL: llvm.func @total
// CHECK: llvm.br ^bb1(%{{.*}}) {mdh.nest = @total_nest}
// RAISED: mdh.hom.md_hom {{.*}} combine [#mdh.pw<[add]>] attributes {mdh.contract = true, mdh.raised, ordered}
llvm.func @total(%n: i32, %m: i32, %A: !llvm.ptr {llvm.noalias}, %start: f64) -> f64 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2.0 : f64) : f64
  %stride = llvm.sext %m : i32 to i64
  llvm.br ^header(%zero, %start : i32, f64)
^header(%i: i32, %s: f64):
  %c = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %c, ^body, ^after
^body:
  %w = llvm.sext %i : i32 to i64
  %r = llvm.mul %w, %stride overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %A[%r] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %t = llvm.intr.fmuladd(%a, %two, %s) : (f64, f64, f64) -> f64
  %j = llvm.add %i, %one overflow<nsw> : i32
  llvm.br ^header(%j, %t : i32, f64)
^after:
  llvm.return %s : f64
}

// Array types scale indices, and say sizes. Two objects share no memory.
// CHECK-LABEL: func.func private @fill_nest(
// CHECK-SAME: memref<?xf32> {mdh.disjoint = 0 : i64, mdh.inner_sizes = array<i64: 20>, mdh.name = "table"}
// CHECK: arith.muli %{{.*}}, %c20
llvm.func @fill() {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  %x = llvm.mlir.constant(1.0 : f32) : f32
  %A = llvm.mlir.addressof @table : !llvm.ptr
  llvm.br ^header(%zero : i64)
^header(%i: i64):
  %c = llvm.icmp "ult" %i, %ten : i64
  llvm.cond_br %c, ^body, ^after
^body:
  %p = llvm.getelementptr inbounds|nuw %A[%zero, %i, %i] : (!llvm.ptr, i64, i64, i64) -> !llvm.ptr, !llvm.array<10 x array<20 x f32>>
  llvm.store %x, %p : f32, !llvm.ptr
  %j = llvm.add %i, %one : i64
  llvm.br ^header(%j : i64)
^after:
  llvm.return
}

// A size that is loaded in the loops is loaded before them, if a store is of another type.
// CHECK-LABEL: func.func private @loaded_nest(%arg0: i64, %arg1: memref<?xf32>)
// CHECK-LABEL: llvm.func @loaded
// CHECK: %[[N:.*]] = llvm.load %arg0
// CHECK: llvm.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[JOIN:bb[0-9]+]](%{{.*}} : !llvm.ptr)
#root = #llvm.tbaa_root<id = "root">
#char = #llvm.tbaa_type_desc<id = "char", members = {<#root, 0>}>
#long = #llvm.tbaa_type_desc<id = "long", members = {<#char, 0>}>
#pointer = #llvm.tbaa_type_desc<id = "pointer", members = {<#char, 0>}>
#float = #llvm.tbaa_type_desc<id = "float", members = {<#char, 0>}>
#struct = #llvm.tbaa_type_desc<id = "array", members = {<#long, 0>, <#pointer, 8>}>
#size = #llvm.tbaa_tag<base_type = #struct, access_type = #long, offset = 0>
#data = #llvm.tbaa_tag<base_type = #struct, access_type = #pointer, offset = 8>
#element = #llvm.tbaa_tag<base_type = #float, access_type = #float, offset = 0>
llvm.func @loaded(%A: !llvm.ptr, %x: f32) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %none = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^header(%zero : i64)
^header(%i: i64):
  %n = llvm.load %A {tbaa = [#size]} : !llvm.ptr -> i64
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^body, ^after
^body:
  %field = llvm.getelementptr inbounds %A[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<"array", (i64, ptr)>
  %d = llvm.load %field {tbaa = [#data]} : !llvm.ptr -> !llvm.ptr
  %p = llvm.getelementptr inbounds %d[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %none, %p {tbaa = [#element]} : f32, !llvm.ptr
  %j = llvm.add %i, %one overflow<nsw> : i64
  llvm.br ^header(%j : i64)
^after:
  llvm.return
}

// What cannot be lifted stays, with the reason.
// STAYS: remark: is not lifted: requires no calls, but 'puts' is called
llvm.func @called(%n: i64, %A: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%zero : i64)
^header(%i: i64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^body, ^after
^body:
  %r = llvm.call @puts(%A) : (!llvm.ptr) -> i32
  %j = llvm.add %i, %one overflow<nsw> : i64
  llvm.br ^header(%j : i64)
^after:
  llvm.return
}

// STAYS: remark: is not lifted: requires pointers that no loop advances
llvm.func @advanced(%n: i64, %A: !llvm.ptr, %end: !llvm.ptr) {
  %x = llvm.mlir.constant(1.0 : f32) : f32
  llvm.br ^header(%A : !llvm.ptr)
^header(%p: !llvm.ptr):
  %c = llvm.icmp "ne" %p, %end : !llvm.ptr
  llvm.cond_br %c, ^body, ^after
^body:
  llvm.store %x, %p : f32, !llvm.ptr
  %q = llvm.getelementptr inbounds %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.br ^header(%q : !llvm.ptr)
^after:
  llvm.return
}
