// CUDA kernels use 32-bit indices as long as no number exceeds 2^31 - 1. Byte addresses have 64 bits.
// RUN: mdh compile %s --function below --target cuda --emit ptx | FileCheck %s --check-prefix=BELOW
// BELOW: $L__BB0_1:
// BELOW-NOT: setp{{.*}}64
// BELOW: add.s64 {{.*}}, 32;
// BELOW: setp.{{[a-z]*}}.b32
// BELOW: ret;
// RUN: mdh compile %s --function above --target cuda --emit ptx | FileCheck %s --check-prefix=ABOVE
// ABOVE: $L__BB0_1:
// ABOVE-NOT: setp{{.*}}32
// ABOVE: setp.{{[a-z]*}}.b64
// ABOVE: ret;
// RUN: mdh compile %s --function dynamic --target cuda --emit ptx | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC-NOT: setp{{.*}}32
// DYNAMIC: setp.{{.*}}64
// DYNAMIC: ret;

func.func @below() -> memref<2147483647x32xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %turns = arith.constant 2147483647 : index
  %one = arith.constant 1 : i8
  %result = memref.alloc() : memref<2147483647x32xi8>
  %elements = gpu.alloc () : memref<2147483647x32xi8>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %turns step %c1 {
      gpu.barrier
      memref.store %one, %elements[%i, %tx] : memref<2147483647x32xi8>
    }
    gpu.terminator
  }
  gpu.memcpy %result, %elements : memref<2147483647x32xi8>, memref<2147483647x32xi8>
  return %result : memref<2147483647x32xi8>
}

func.func @above() -> memref<2147483648x32xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %turns = arith.constant 2147483648 : index
  %one = arith.constant 1 : i8
  %result = memref.alloc() : memref<2147483648x32xi8>
  %elements = gpu.alloc () : memref<2147483648x32xi8>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %turns step %c1 {
      gpu.barrier
      memref.store %one, %elements[%i, %tx] : memref<2147483648x32xi8>
    }
    gpu.terminator
  }
  gpu.memcpy %result, %elements : memref<2147483648x32xi8>, memref<2147483648x32xi8>
  return %result : memref<2147483648x32xi8>
}

func.func @dynamic(%turns: index) -> memref<?x32xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i8
  %result = memref.alloc(%turns) : memref<?x32xi8>
  %elements = gpu.alloc (%turns) : memref<?x32xi8>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %turns step %c1 {
      gpu.barrier
      memref.store %one, %elements[%i, %tx] : memref<?x32xi8>
    }
    gpu.terminator
  }
  gpu.memcpy %result, %elements : memref<?x32xi8>, memref<?x32xi8>
  return %result : memref<?x32xi8>
}
