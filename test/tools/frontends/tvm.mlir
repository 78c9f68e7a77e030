// TVM's schedule (CC23) of the ResNet-50 matrix product as a kernel: 2 x 50 blocks of 4 x 20 threads by dimension of the computation.
// Adjacent threads traverse dimension 2, so it is x of the grid, and dimension 1 is y.
// RUN: mdh compile %examples/matmul.mlir --function matmul_resnet50_batch16 --schedule %examples/schedules/matmul_resnet50_tvm.json --target cuda --arch sm_90 --emit ptx -o %t.ptx
// RUN: FileCheck %s --input-file %t.json
// CHECK: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "matmul_resnet50_batch16_kernel_1",
// CHECK-NEXT: "grid": [
// CHECK-NEXT: 50,
// CHECK-NEXT: 2,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "block": [
// CHECK-NEXT: 20,
// CHECK-NEXT: 4,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// One kernel computes everything.
// CHECK-NOT: "name"
// CHECK: "functions": [

// The block size is declared to the assembler (.reqntid), and the inputs of a block are in shared memory.
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// PTX: .visible .entry matmul_resnet50_batch16_kernel_1(
// PTX: .reqntid 20, 4, 1
// PTX-DAG: ld.shared
// PTX-DAG: fma.rn.f32
