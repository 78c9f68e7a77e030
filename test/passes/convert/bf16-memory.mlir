// RUN: mdh-opt %s --mdh-bf16-memory | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: llvm.func @copy
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<4xi1>) {
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
  // CHECK: %[[Y:.*]] = llvm.bitcast %[[X]] : i16 to bf16
  %x = llvm.load %from {alignment = 2 : i64} : !llvm.ptr -> bf16
  // CHECK: %[[Z:.*]] = llvm.bitcast %[[Y]] : bf16 to i16
  // CHECK: llvm.store %[[Z]], %{{.*}} : i16, !llvm.ptr
  llvm.store %x, %to : bf16, !llvm.ptr
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xi16>
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi16> to vector<4xbf16>
  %v = llvm.load %from : !llvm.ptr -> vector<4xbf16>
  // CHECK: llvm.store %{{.*}}, %{{.*}} : vector<4xi16>, !llvm.ptr
  llvm.store %v, %to : vector<4xbf16>, !llvm.ptr
  // CHECK: %[[P:.*]] = llvm.bitcast %{{.*}} : vector<4xbf16> to vector<4xi16>
  // CHECK: llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[P]] {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi16>) -> vector<4xi16>
  %m = llvm.intr.masked.load %from, %mask, %v {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xbf16>) -> vector<4xbf16>
  // CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %{{.*}} {alignment = 2 : i32} : vector<4xi16>, vector<4xi1> into !llvm.ptr
  llvm.intr.masked.store %m, %to, %mask {alignment = 2 : i32} : vector<4xbf16>, vector<4xi1> into !llvm.ptr
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> f16
  %h = llvm.load %from : !llvm.ptr -> f16
  // CHECK: llvm.store %{{.*}}, %{{.*}} : f16, !llvm.ptr
  llvm.store %h, %to : f16, !llvm.ptr
  llvm.return
}

// Code on buffers of bf16 has this type only in its addresses.
// LOWERED-LABEL: llvm.func @add
// LOWERED: llvm.load %{{.*}} : !llvm.ptr -> i16
// LOWERED-NOT: bf16
// LOWERED: llvm.fadd
// LOWERED: llvm.store %{{.*}}, %{{.*}} : i16, !llvm.ptr
func.func @add(%x: memref<8xbf16>, %i: index) {
  %a = memref.load %x[%i] : memref<8xbf16>
  %b = arith.addf %a, %a : bf16
  memref.store %b, %x[%i] : memref<8xbf16>
  return
}

// A kernel does not have the type at all.
// LOWERED-LABEL: gpu.module @kernels
// LOWERED-NOT: bf16
// LOWERED: llvm.func @second(%{{.*}}: !llvm.struct<(f32, array<2 x i16>)>) -> i16
// LOWERED-NOT: bf16
// LOWERED: llvm.return
gpu.module @kernels {
  llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<4 x bf16>
  llvm.func @second(%x: !llvm.struct<(f32, array<2 x bf16>)>) -> bf16 {
    %y = llvm.extractvalue %x[1, 0] : !llvm.struct<(f32, array<2 x bf16>)>
    llvm.return %y : bf16
  }
  llvm.func @select(%to: !llvm.ptr<1>, %c: i1) {
    %one = llvm.mlir.constant(1.0 : bf16) : bf16
    %vector = llvm.mlir.constant(dense<[1.0, -2.0]> : vector<2xbf16>) : vector<2xbf16>
    %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %place = llvm.getelementptr %shared[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, bf16
    %x = llvm.load %place : !llvm.ptr<3> -> bf16
    %y = llvm.select %c, %x, %one : i1, bf16
    llvm.store %y, %to : bf16, !llvm.ptr<1>
    llvm.store %vector, %to : vector<2xbf16>, !llvm.ptr<1>
    llvm.return
  }
}
