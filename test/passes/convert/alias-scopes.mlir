// RUN: mdh-opt %s --mdh-alias-scopes | FileCheck %s

// Memory from malloc, also aligned, does not alias arguments. An address that may be either is in no scope.
// CHECK-DAG: #[[SCOPE:.*]] = #llvm.alias_scope<
// CHECK-LABEL: llvm.func @fresh
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @fresh(%argument: !llvm.ptr, %size: i64, %choice: i1) {
  %memory = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  %integer = llvm.ptrtoint %memory : !llvm.ptr to i64
  %alignment = llvm.mlir.constant(64 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %bump = llvm.sub %alignment, %one : i64
  %bumped = llvm.add %integer, %bump : i64
  %rest = llvm.urem %bumped, %alignment : i64
  %multiple = llvm.sub %bumped, %rest : i64
  %aligned = llvm.inttoptr %multiple : i64 to !llvm.ptr
  // CHECK: llvm.load %{{.*}} {noalias_scopes = [#[[SCOPE]]]}
  %x = llvm.load %argument : !llvm.ptr -> f32
  %element = llvm.getelementptr %aligned[4] : (!llvm.ptr) -> !llvm.ptr, f32
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alias_scopes = [#[[SCOPE]]]}
  llvm.store %x, %element : f32, !llvm.ptr
  %either = llvm.select %choice, %argument, %memory : i1, !llvm.ptr
  // CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
  llvm.store %x, %either : f32, !llvm.ptr
  llvm.return
}

// An address that is computed in another way may alias anything.
// CHECK-LABEL: llvm.func @computed
llvm.func @computed(%offset: i64, %other: !llvm.ptr, %x: f32) {
  %memory = llvm.call @malloc(%offset) : (i64) -> !llvm.ptr
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alias_scopes = [#{{.*}}]} : f32, !llvm.ptr
  llvm.store %x, %memory : f32, !llvm.ptr
  %integer = llvm.ptrtoint %other : !llvm.ptr to i64
  %sum = llvm.add %offset, %integer : i64
  %address = llvm.inttoptr %sum : i64 to !llvm.ptr
  // CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
  llvm.store %x, %address : f32, !llvm.ptr
  llvm.return
}
