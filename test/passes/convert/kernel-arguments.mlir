// The arguments that the host passes to kernels.
// RUN: mdh-opt %s --split-input-file --mdh-kernel-arguments=target=cuda | FileCheck %s

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[POINTER:.*]] = llvm.inttoptr {{.*}} {mdh.noalias, mdh.role = "input 1"} : i64 to !llvm.ptr<1>
// CHECK: %[[SIZE:.*]] = arith.index_cast {{.*}} {mdh.role = "size 1 of input 1"} : index to i64
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[WORD:.*]] = arith.extui %[[BITS]] : i16 to i64
// CHECK: gpu.launch {{.*}} module(@mdh_kernels) function(@dynamic_kernel_1)
func.func @dynamic(%n: index, %factor: bf16) {
  %one = arith.constant 1 : index
  %a = gpu.alloc (%n) {mdh.buffer = "input 1"} : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one)
             workgroup(%w : memref<8xf32, #gpu.address_space<workgroup>>) {
    %p = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
    %x = memref.load %a[%tx] : memref<?xf32>
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %y, %valid = gpu.shuffle xor %x, %offset, %width : f32
    %z = memref.load %w[%tx] : memref<8xf32, #gpu.address_space<workgroup>>
    %v = arith.extf %factor : bf16 to f32
    %u = arith.addf %z, %v : f32
    memref.store %u, %p[%tx] : memref<4xf32, #gpu.address_space<private>>
    memref.store %y, %a[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}

// -----

// Dynamic shared memory: for OpenCL it is an argument, and launches keep it when they become calls.
// CHECK-LABEL: func.func @asks
// CHECK: gpu.dynamic_shared_memory
func.func @asks(%n: index, %bytes: i32) {
  %one = arith.constant 1 : index
  %a = gpu.alloc (%n) {mdh.buffer = "input 1"} : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one)
             dynamic_shared_memory_size %bytes {
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %start = arith.constant 16 : index
    %w = memref.view %all[%start][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %z = memref.load %w[%tx] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %z, %a[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}

// -----

// Memory of an earlier computation, which this one reads in two roles. None of its outputs aliases it.
// CHECK-LABEL: func.func @cast
// CHECK: llvm.inttoptr {{.*}} {mdh.noalias, mdh.role = "input 1"} : i64 to !llvm.ptr<1>
// CHECK: llvm.inttoptr {{.*}} {mdh.noalias, mdh.role = "input 2"} : i64 to !llvm.ptr<1>
// CHECK: llvm.inttoptr {{.*}} {mdh.noalias, mdh.role = "output 2"} : i64 to !llvm.ptr<1>
// Memory written in one role must not be read in the other role as if it were invariant.
// CHECK: llvm.inttoptr {{.*}} {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
// CHECK: llvm.inttoptr {{.*}} {mdh.role = "output 1"} : i64 to !llvm.ptr<1>
func.func @cast() {
  %one = arith.constant 1 : index
  %a = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  %b = gpu.alloc () {mdh.buffer = "output 2"} : memref<8xf32>
  %x = memref.cast %a {mdh.buffer = "input 1"} : memref<8xf32> to memref<8xf32>
  %y = memref.cast %a {mdh.buffer = "input 2"} : memref<8xf32> to memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %u = memref.load %x[%tx] : memref<8xf32>
    %v = memref.load %y[%tx] : memref<8xf32>
    %w = arith.addf %u, %v : f32
    memref.store %w, %b[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %u = memref.load %x[%tx] : memref<8xf32>
    memref.store %u, %a[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}
