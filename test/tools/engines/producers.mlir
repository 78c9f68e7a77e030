// Producers in kernels of OpenCL.
// REQUIRES: opencl
// RUN: %python %root/test/raise/Inputs/arrays.py %t 10x7 30x20 9x50 50
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function rows_of_threads --input %t0.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function rows_of_blocks --input %t0.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function rows_in_loop --input %t0.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function register_tiles --input %t0.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function windows_of_threads --input %t1.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function windows_of_blocks --input %t1.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function own_inputs --input %t2.npy --input %t3.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function common_inputs --input %t2.npy --input %t3.npy --check
// RUN: mdh run %root/test/passes/schedule/producers-kernels.mlir --engine opencl --function parts_of_inputs --input %t2.npy --input %t3.npy --check
