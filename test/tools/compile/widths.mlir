// LLVM computes trip counts of the inner loop in 63-bit integers, which SPIR-V lacks: kernels use 64 bits.
// RUN: mdh compile %s --target opencl --emit llvm-ir | FileCheck %s
// CHECK-NOT: i63
// CHECK: [[LEFT:%.*]] = shl i64 {{.*}}, 1
// CHECK-NEXT: ashr i64 [[LEFT]], 1
// CHECK-NOT: i63
// CHECK: ret void

func.func @counts(%n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %result = memref.alloc(%n) : memref<?xi64>
  %counts = gpu.alloc (%n) : memref<?xi64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %counts[%i] : memref<?xi64>
      %last = arith.minsi %i, %c9 : index
      %behind = arith.subi %last, %i : index
      %count = arith.addi %behind, %c2 : index
      %twice = arith.muli %count, %c2 : index
      %half = arith.ceildivsi %twice, %c2 : index
      scf.for %j = %c0 to %half step %c1 {
        %old = memref.load %counts[%i] : memref<?xi64>
        %new = arith.addi %old, %one : i64
        gpu.barrier
        memref.store %new, %counts[%i] : memref<?xi64>
      }
    }
    gpu.terminator
  }
  gpu.memcpy %result, %counts : memref<?xi64>, memref<?xi64>
  gpu.dealloc %counts : memref<?xi64>
  return %result : memref<?xi64>
}
