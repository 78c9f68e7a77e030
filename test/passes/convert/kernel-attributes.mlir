// The values that the host computes for a launch are attributes of the kernel, as expressions over the arguments of its function.
// RUN: mdh-opt %s --mdh-kernel-arguments=target=opencl --gpu-kernel-outlining --mdh-kernel-attributes=target=opencl | FileCheck %s
// RUN: mdh-opt %s --mdh-kernel-arguments=target=opencl --gpu-kernel-outlining --mdh-kernel-attributes=target=opencl | FileCheck %s --check-prefix=PROGRAM

// Non-integer numbers are passed as their bits.
// PROGRAM-LABEL: func.func @sizes
// PROGRAM-SAME: {\22bits\22:[{\22value\22:\22argument 3\22}]}
// PROGRAM-LABEL: func.func @unknown
// PROGRAM-SAME: mdh.launch_program = "{\22refused\22:\22the manifest requires a step that launches a kernel, or allocates, copies or fills memory, but got 'memref.load'\22,\22at\22:\22loc({{.*}}kernel-attributes.mlir{{.*}}

// CHECK-LABEL: gpu.func @sizes_kernel_1
// CHECK-SAME: mdh.sizes = ["{\22ceildiv\22:[{\22size\22:2,\22of\22:\22argument 1\22},256]}", "{\22loop\22:1}", "1",
// CHECK-SAME: "{\22and\22:[{\22not\22:[{\22gt\22:[{\22value\22:\22argument 2\22},3]}]},{\22ge\22:[{\22loop\22:1},1]}]}"]
// CHECK-SAME: mdh.values = [
// CHECK-SAME: "{\22element\22:\22f32\22,\22sizes\22:[7,{\22mul\22:[{\22size\22:2,\22of\22:\22argument 1\22},2]}],\22memory\22:1}"
// CHECK-SAME: "{\22select\22:[{\22gt\22:[{\22value\22:\22argument 2\22},3]},{\22size\22:2,\22of\22:\22argument 1\22},{\22value\22:\22argument 2\22}]}"

// Loop-carried and loaded values cannot be expressed.
// CHECK-LABEL: gpu.func @unknown_kernel_1
// CHECK-SAME: mdh.sizes = ["null", "1", "1", "1", "1", "1", "true"], mdh.values = ["null", "{{.*}}"]

// Booleans are passed as numbers.
// CHECK-LABEL: gpu.func @truths_kernel_1
// CHECK-SAME: mdh.values = [
// CHECK-SAME: "{\22select\22:[{\22gt\22:[{\22value\22:\22argument 1\22},3]},1,0]}"

func.func @sizes(%m: memref<5x?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c256 = arith.constant 256 : index
  %size = memref.dim %m, %c1 : memref<5x?xf32>
  %blocks = arith.ceildivsi %size, %c256 : index
  %twice = arith.muli %size, %c2 : index
  %is_more = arith.cmpi sgt, %n, %c3 : index
  %chosen = arith.select %is_more, %size, %n : index
  %buffer = gpu.alloc (%twice) : memref<7x?xf32>
  scf.if %is_more {
  } else {
    scf.for %i = %c0 to %c3 step %c1 {
      %is_later = arith.cmpi sge, %i, %c1 : index
      scf.if %is_later {
        gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %i, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
          memref.store %x, %buffer[%bx, %chosen] : memref<7x?xf32>
          gpu.terminator
        }
      }
    }
  }
  return
}

func.func @unknown(%m: memref<1xf32>, %counts: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 1.0 : f32
  %count = memref.load %counts[%c0] : memref<1xindex>
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %count) -> (index) {
    %more = arith.addi %sum, %i : index
    scf.yield %more : index
  }
  %buffer = gpu.alloc () : memref<100xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %last, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %buffer[%count] : memref<100xf32>
    gpu.terminator
  }
  return
}

func.func @truths(%n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 1.0 : f32
  %is_more = arith.cmpi sgt, %n, %c3 : index
  %buffer = gpu.alloc () : memref<100xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.if %is_more {
      memref.store %x, %buffer[%bx] : memref<100xf32>
    }
    gpu.terminator
  }
  return
}
