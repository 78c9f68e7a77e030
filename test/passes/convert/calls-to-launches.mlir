// Launches are restored as they were.
// RUN: mdh-opt %s --split-input-file --mdh-kernel-arguments --gpu-kernel-outlining --mdh-launches-to-calls --mdh-calls-to-launches | FileCheck %s

// CHECK-NOT: mdh_launch_1
// CHECK: gpu.launch_func @mdh_kernels::@dynamic_kernel_1
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
// CHECK-LABEL: func.func @asks(
// CHECK-SAME: %[[BYTES:[a-z0-9]+]]: i32
// CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size %[[BYTES]] args(%{{.*}} : !llvm.ptr<1>, %{{.*}} : i64)
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
