// RUN: mdh-opt %s --mdh-opencl-memory --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @dynamic(%n: index) kernel {
    // expected-error @below {{memory of a kernel requires sizes that are known and no layout, but has type memref<?xf32, #gpu.address_space<private>>}}
    %a = memref.alloca(%n) : memref<?xf32, #gpu.address_space<private>>
    gpu.return
  }
}
