// Constants that kernels of functions with device memory read stay on the device between calls.
// RUN: mdh-opt %s --split-input-file --mdh-device-constants | FileCheck %s

// Two kernels read one copy; its address is looked up once.
// CHECK-LABEL: module
// CHECK: func.func private @mgpuConstant(index, index, index) -> index
// CHECK: memref.global "private" constant @numbers
// CHECK-LABEL: func.func @read(
// CHECK: %[[C:.*]] = memref.get_global @numbers : memref<2x3xbf16>
// CHECK: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %[[C]]
// CHECK: %[[BYTES:.*]] = arith.constant 12 : index
// CHECK: %[[ADDRESS:.*]] = call @mgpuConstant(%{{.*}}, %[[FROM]], %[[BYTES]]) : (index, index, index) -> index
// CHECK-NOT: gpu.alloc
// CHECK-NOT: gpu.memcpy
// CHECK: arith.index_cast %[[ADDRESS]] : index to i64
// CHECK: gpu.launch_func
// CHECK: arith.index_cast %[[ADDRESS]] : index to i64
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.dealloc
// CHECK: return
module attributes {gpu.container_module} {
  memref.global "private" constant @numbers : memref<2x3xbf16> = dense<1.0>
  gpu.module @mdh_kernels {
    gpu.func @kernel(%x: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
  func.func @read(%n: index) attributes {mdh.device_memory} {
    %c = memref.get_global @numbers : memref<2x3xbf16>
    %d = gpu.alloc () : memref<2x3xbf16>
    gpu.memcpy %d, %c : memref<2x3xbf16>, memref<2x3xbf16>
    %a = memref.extract_aligned_pointer_as_index %d : memref<2x3xbf16> -> index
    %i = arith.index_cast %a : index to i64
    %p = llvm.inttoptr %i {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
    gpu.launch_func @mdh_kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : !llvm.ptr<1>)
    %b = memref.extract_aligned_pointer_as_index %d : memref<2x3xbf16> -> index
    %j = arith.index_cast %b : index to i64
    %q = llvm.inttoptr %j {mdh.role = "input 2"} : i64 to !llvm.ptr<1>
    gpu.launch_func @mdh_kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%q : !llvm.ptr<1>)
    gpu.dealloc %d : memref<2x3xbf16>
    return
  }
}

// -----

// A buffer that a kernel writes, one that is copied back, and one of a global that is no constant are copied in each call.
// CHECK-LABEL: module
// CHECK-NOT: mgpuConstant
// CHECK-LABEL: func.func @written(
// CHECK-COUNT-3: gpu.alloc
// CHECK-COUNT-4: gpu.memcpy
// CHECK-COUNT-3: gpu.dealloc
// CHECK: return
module attributes {gpu.container_module} {
  memref.global "private" constant @numbers : memref<4xf32> = dense<1.0>
  memref.global "private" @variable : memref<4xf32> = dense<1.0>
  gpu.module @mdh_kernels {
    gpu.func @kernel(%x: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
  func.func @written(%n: index, %host: memref<4xf32>) attributes {mdh.device_memory} {
    %c = memref.get_global @numbers : memref<4xf32>
    %v = memref.get_global @variable : memref<4xf32>
    %d = gpu.alloc () : memref<4xf32>
    %e = gpu.alloc () : memref<4xf32>
    %f = gpu.alloc () : memref<4xf32>
    gpu.memcpy %d, %c : memref<4xf32>, memref<4xf32>
    gpu.memcpy %e, %c : memref<4xf32>, memref<4xf32>
    gpu.memcpy %f, %v : memref<4xf32>, memref<4xf32>
    %a = memref.extract_aligned_pointer_as_index %d : memref<4xf32> -> index
    %i = arith.index_cast %a : index to i64
    %p = llvm.inttoptr %i {mdh.role = "output 1"} : i64 to !llvm.ptr<1>
    gpu.launch_func @mdh_kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : !llvm.ptr<1>)
    gpu.memcpy %host, %e : memref<4xf32>, memref<4xf32>
    %b = memref.extract_aligned_pointer_as_index %f : memref<4xf32> -> index
    %j = arith.index_cast %b : index to i64
    %q = llvm.inttoptr %j {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
    gpu.launch_func @mdh_kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%q : !llvm.ptr<1>)
    gpu.dealloc %d : memref<4xf32>
    gpu.dealloc %e : memref<4xf32>
    gpu.dealloc %f : memref<4xf32>
    return
  }
}

// -----

// Functions with arrays in the memory of the host call upstream's run-time library only.
// CHECK-LABEL: func.func @on_host(
// CHECK: gpu.memcpy
module attributes {gpu.container_module} {
  memref.global "private" constant @numbers : memref<4xf32> = dense<1.0>
  gpu.module @mdh_kernels {
    gpu.func @kernel(%x: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
  func.func @on_host(%n: index) {
    %c = memref.get_global @numbers : memref<4xf32>
    %d = gpu.alloc () : memref<4xf32>
    gpu.memcpy %d, %c : memref<4xf32>, memref<4xf32>
    %a = memref.extract_aligned_pointer_as_index %d : memref<4xf32> -> index
    %i = arith.index_cast %a : index to i64
    %p = llvm.inttoptr %i {mdh.role = "input 1"} : i64 to !llvm.ptr<1>
    gpu.launch_func @mdh_kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : !llvm.ptr<1>)
    gpu.dealloc %d : memref<4xf32>
    return
  }
}
