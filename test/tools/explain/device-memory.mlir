// The memory of a block that explain reports is that of the kernel.
// RUN: mdh explain %examples/matvec.mlir --function matvec_512x4096 --schedule %examples/schedules/matvec_kernel.json | FileCheck %s --check-prefix=TABLE
// TABLE: memory DM (global), SM (shared), RM (registers); cores SMX (blocks), CC (threads)
// TABLE: part of input 2{{ +}}D (3, 1){{ +}}SM[1]{{ +}}4096{{ +}}block
// TABLE: values that threads exchange{{ +}}R (5, 2){{ +}}SM[]{{ +}}1024{{ +}}block
// TABLE: a block has 256 threads and 5120 bytes in SM, a thread 0 bytes in RM
// RUN: mdh compile %examples/matvec.mlir --function matvec_512x4096 --schedule %examples/schedules/matvec_kernel.json --target cuda --emit manifest | FileCheck %s --check-prefix=KERNEL
// KERNEL: "shared_bytes": 5120,

// Default schedules: copies of inputs, reductions over threads, and scans.
// RUN: mdh explain %examples/bmatmul.mlir --function bmatmul_16x10x500x64 --system cuda | sed -n 's/^a block has .* threads and \(.*\) bytes in SM.*/\1/p' > %t.1
// RUN: mdh compile %examples/bmatmul.mlir --function bmatmul_16x10x500x64 --system cuda --target cuda --emit manifest | sed -n 's/.*"shared_bytes": \(.*\),/\1/p' > %t.2
// RUN: diff %t.1 %t.2
// RUN: mdh explain %examples/ccsdt_gdab_efgc.mlir --function ccsdt_gdab_efgc_real --system cuda_wrp | sed -n 's/^a block has .* threads and \(.*\) bytes in SM.*/\1/p' > %t.1
// RUN: mdh compile %examples/ccsdt_gdab_efgc.mlir --function ccsdt_gdab_efgc_real --system cuda_wrp --target cuda --emit manifest | sed -n 's/.*"shared_bytes": \(.*\),/\1/p' > %t.2
// RUN: diff %t.1 %t.2
