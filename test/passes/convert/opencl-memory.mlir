// The memory of kernels: static shared memory of a block, private memory of a thread, and dynamic shared memory.
// RUN: mdh-opt %s --split-input-file --mdh-kernel-arguments=target=opencl --gpu-kernel-outlining --mdh-kernel-attributes=target=opencl --mdh-opencl-memory | FileCheck %s

// CHECK-LABEL: func.func @dynamic
// CHECK: llvm.mlir.global internal @dynamic_kernel_1_workgroup_{{[0-9]+}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK: gpu.func @dynamic_kernel_1({{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: intel_reqd_sub_group_size = 32 : i32
// CHECK-SAME: mdh.roles = ["input 1", "size 1 of input 1", "number"]
// CHECK: llvm.alloca %{{.*}} x !llvm.array<4 x f32> {{.*}}-> !llvm.ptr
// CHECK: memref.load %{{.*}} : memref<8xf32, 3>
// CHECK: gpu.barrier
// CHECK-NEXT: gpu.return
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
// CHECK: %[[SHARED:.*]] = llvm.mlir.zero {mdh.role = "shared memory"} : !llvm.ptr<3>
// CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size %{{.*}} args({{.*}}%[[SHARED]] : !llvm.ptr<3>)
// CHECK: gpu.func @asks_kernel_1({{.*}}: !llvm.ptr<3>)
// CHECK-SAME: mdh.roles = ["input 1", "size 1 of input 1", "shared memory"]
// CHECK-NOT: gpu.dynamic_shared_memory
// CHECK: memref.view %{{.*}} : memref<?xi8, 3> to memref<8xf32, 3>
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

// Booleans are bytes in all memory, and in vectors that are loaded and stored.
// CHECK-LABEL: func.func @booleans
// CHECK: gpu.alloc {{.*}} memref<32xi1>
// CHECK: llvm.mlir.global internal @booleans_kernel_1_workgroup_{{[0-9]+}}() {{.*}} : !llvm.array<8 x i8>
// CHECK: gpu.func @booleans_kernel_1
// CHECK-NOT: memref<{{[0-9]+}}xi1
// CHECK: llvm.alloca %{{.*}} x !llvm.array<4 x i8>
// CHECK: %[[BYTE:.*]] = memref.load %{{.*}} : memref<32xi8
// CHECK: %[[TRUTH:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: %[[STORED:.*]] = arith.extui %[[TRUTH]] : i1 to i8
// CHECK: memref.store %[[STORED]], %{{.*}} : memref<8xi8, 3>
// CHECK: %[[BYTES:.*]] = vector.load %{{.*}} : memref<8xi8, 3>, vector<4xi8>
// CHECK: %[[TRUTHS:.*]] = arith.trunci %[[BYTES]] : vector<4xi8> to vector<4xi1>
// CHECK: arith.extui %[[TRUTHS]] : vector<4xi1> to vector<4xi8>
// CHECK: vector.store %{{.*}} : memref<4xi8, 4>, vector<4xi8>
// CHECK: gpu.return
func.func @booleans() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = gpu.alloc () {mdh.buffer = "input 1"} : memref<32xi1>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one)
             workgroup(%w : memref<8xi1, #gpu.address_space<workgroup>>) {
    %p = memref.alloca() : memref<4xi1, #gpu.address_space<private>>
    %x = memref.load %a[%tx] : memref<32xi1>
    memref.store %x, %w[%tx] : memref<8xi1, #gpu.address_space<workgroup>>
    %y = vector.load %w[%zero] : memref<8xi1, #gpu.address_space<workgroup>>, vector<4xi1>
    vector.store %y, %p[%zero] : memref<4xi1, #gpu.address_space<private>>, vector<4xi1>
    gpu.terminator
  }
  return
}
