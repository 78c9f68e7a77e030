// Memory of blocks and threads that exceeds what every device has, or depends on extents: in the loops, for both targets, and at run time.
// RUN: mdh-opt --lower-mdh="target=cuda stop-after=loops" %root/test/tools/compile/Inputs/memory.mlir | FileCheck %s
// RUN: mdh compile %root/test/tools/compile/Inputs/memory.mlir --target cuda --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: mdh compile %root/test/tools/compile/Inputs/memory.mlir --target cuda --emit manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: mdh compile %root/test/tools/compile/Inputs/memory.mlir --target opencl --emit manifest | FileCheck %s --check-prefix=OPENCL
// RUN: mdh compile %root/test/tools/compile/Inputs/memory.mlir --target cuda --arch sm_70 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: not mdh compile %root/test/tools/compile/Inputs/memory.mlir --target cuda --arch sm_75 --emit ptx 2>&1 | FileCheck %s --check-prefix=LESS

// LESS: {{.*}}memory.mlir:[[#]]:{{[0-9]+}}: error: {{.*}} requires at most 65536 bytes in SM for a block on sm_75, but the schedule has 67584: 65528 for the part of input 1 in SM[1] of step D (2, 1), 2048 for the values that threads exchange of step R (5, 2)
// LESS-NOT: error

// CHECK-LABEL: func.func @shared(
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 67584 : i32
// CHECK-DAG: %[[START:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[BEHIND:.*]] = arith.constant 65536 : index
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[BYTES]] {
// CHECK: %[[ALL:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[ALL]][%[[START]]][] : {{.*}} to memref<8191xi64, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[ALL]][%[[BEHIND]]][] : {{.*}} to memref<256xi64, #gpu.address_space<workgroup>>

// Static memory comes first.
// CHECK-LABEL: func.func @shared_dynamic(
// CHECK: %[[BYTES:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[BYTES]] {
// CHECK: memref.view {{.*}} to memref<256xi64, #gpu.address_space<workgroup>>
// CHECK: memref.view %{{.*}}[%{{.*}}][%{{.*}}] : {{.*}} to memref<?xi64, #gpu.address_space<workgroup>>

// Adjacent threads have adjacent elements.
// CHECK-LABEL: func.func @own(
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}) {mdh.buffer = "temporary"} : memref<8191x?xi64>
// CHECK: gpu.launch
// CHECK: memref.subview %[[OWN]][0, %{{.*}}] [8191, 1] [1, 1] : memref<8191x?xi64> to memref<8191xi64, strided<[?], offset: ?>>
// CHECK-LABEL: func.func @own_dynamic(
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}, %{{.*}}) {mdh.buffer = "temporary"} : memref<?x?xi64>
// CHECK: memref.subview %[[OWN]][0, %{{.*}}] [%{{.*}}, 1] [1, 1] : memref<?x?xi64> to memref<?xi64, strided<[?], offset: ?>>

// PTX: .extern .shared .align 16 .b8 [[SHARED:.*]][];
// PTX: .visible .entry shared_kernel_2(
// PTX: mov.b64 {{.*}}, [[SHARED]];
// PTX: .visible .entry shared_dynamic_kernel_2(
// PTX: mov.b64 {{.*}}, [[SHARED]];

// MANIFEST: "name": "shared_kernel_2"
// MANIFEST: "shared_bytes": 0,
// MANIFEST-NEXT: "dynamic_shared_bytes": 67584,
// MANIFEST-NOT: "kind": "shared"
// MANIFEST: "name": "shared_dynamic_kernel_2"
// MANIFEST: "dynamic_shared_bytes": {
// MANIFEST-NEXT: "min": [
// MANIFEST: "value": "argument 2"
// MANIFEST: 2147483647
// MANIFEST: "name": "own_kernel_2"
// MANIFEST: "dynamic_shared_bytes": 0,

// OPENCL: "name": "shared_kernel_2"
// OPENCL: "dynamic_shared_bytes": 67584,
// OPENCL: "kind": "shared",
// OPENCL-NEXT: "bytes": 0,
// OPENCL-NEXT: "role": "shared memory"
// OPENCL: "name": "shared_dynamic_kernel_2"
// OPENCL: "dynamic_shared_bytes": {
