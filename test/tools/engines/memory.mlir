// Kernels with memory of any size run; exceeding the memory of the device is an error at launch.
// REQUIRES: opencl
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function shared --engine opencl --check --input 19 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function shared_dynamic --engine opencl --check --input 19 --input 3001 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function shared_dynamic --engine opencl --check --input 3 --input 1 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function shared_dynamic --engine opencl --check --input 3 --input 0 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function own --engine opencl --check --input 19 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function own_dynamic --engine opencl --check --input 19 --input 3001 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function own_dynamic --engine opencl --check --input 1 --input 1 2>&1 | FileCheck %s
// RUN: mdh run %root/test/tools/compile/Inputs/memory.mlir --function own_dynamic --engine opencl --check --input 0 --input 7 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator
// RUN: not mdh run %root/test/tools/compile/Inputs/memory.mlir --function shared_dynamic --engine opencl --input 3 --input 100000000 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: '{{.*}}' has {{[0-9]+}} bytes of shared memory for a block, a launch requires 800002048
