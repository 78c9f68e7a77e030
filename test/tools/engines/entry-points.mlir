// The GPU run-time library has the signatures with which LLVM calls its entry points; they are not documented elsewhere.
// RUN: split-file %s %t
// RUN: mlir-opt %t/host.mlir --gpu-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: mlir-translate --mlir-to-llvmir %t/launch.mlir | FileCheck %s --check-prefix=LAUNCH
// HOST-DAG: llvm.func @mgpuStreamCreate() -> !llvm.ptr
// HOST-DAG: llvm.func @mgpuMemAlloc(i64, !llvm.ptr, i8) -> !llvm.ptr
// HOST-DAG: llvm.func @mgpuMemcpy(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
// HOST-DAG: llvm.func @mgpuMemset32(!llvm.ptr, i32, i64, !llvm.ptr)
// HOST-DAG: llvm.func @mgpuMemFree(!llvm.ptr, !llvm.ptr)
// HOST-DAG: llvm.func @mgpuStreamSynchronize(!llvm.ptr)
// HOST-DAG: llvm.func @mgpuStreamDestroy(!llvm.ptr)
// LAUNCH-DAG: @binary_binary = internal constant [8 x i8] c"no image"
// LAUNCH-DAG: @text_binary = internal constant [8 x i8] c"no text\00"
// LAUNCH-DAG: declare ptr @mgpuModuleLoad(ptr, i64)
// LAUNCH-DAG: declare ptr @mgpuModuleLoadJIT(ptr, i32)
// LAUNCH-DAG: declare void @mgpuModuleUnload(ptr)
// LAUNCH-DAG: declare ptr @mgpuModuleGetFunction(ptr, ptr)
// LAUNCH-DAG: declare void @mgpuLaunchKernel(ptr, i64, i64, i64, i64, i64, i64, i32, ptr, ptr, ptr, i64)

//--- host.mlir
module attributes {gpu.container_module} {
  func.func @fill(%host: memref<16xf32>, %value: f32) {
    %start = gpu.wait async
    %buffer, %allocated = gpu.alloc async [%start] () : memref<16xf32>
    %copied = gpu.memcpy async [%allocated] %buffer, %host : memref<16xf32>, memref<16xf32>
    %filled = gpu.memset async [%copied] %buffer, %value : memref<16xf32>, f32
    %freed = gpu.dealloc async [%filled] %buffer : memref<16xf32>
    gpu.wait [%freed]
    return
  }
}

//--- launch.mlir
module attributes {gpu.container_module} {
  gpu.binary @binary [#gpu.object<#nvvm.target, bin = "no image">]
  gpu.binary @text [#gpu.object<#nvvm.target, assembly = "no text">]
  llvm.func @launch(%buffer: !llvm.ptr, %value: f32, %stream: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    gpu.launch_func <%stream : !llvm.ptr> @binary::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i64
      args(%buffer : !llvm.ptr, %value : f32)
    llvm.return
  }
}
