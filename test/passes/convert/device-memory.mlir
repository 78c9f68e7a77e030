// Functions with device memory: results are arguments, and buffers are on the device.
// RUN: mdh-opt %s --split-input-file --mdh-device-memory | FileCheck %s
// RUN: mdh-opt %s --split-input-file --mdh-device-memory --mdh-device-buffers --canonicalize | FileCheck %s --check-prefix=DIRECT

// A copy of an argument that is only read, and the buffer of a result, are the memory of the caller.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>, %[[R:[^:]*]]: memref<8xf32>) attributes
// CHECK: %[[T:.*]] = gpu.alloc () : memref<8xf32>
// CHECK: gpu.launch
// CHECK: gpu.memcpy %[[T]], %
// CHECK: gpu.memcpy %[[R]], %[[T]]
// CHECK-NEXT: gpu.dealloc %[[T]]
// CHECK-NEXT: return
// DIRECT-LABEL: func.func @scale(
// DIRECT-SAME: %[[X:[^:]*]]: memref<8xf32>, %[[R:[^:]*]]: memref<8xf32>) attributes
// DIRECT-NOT: gpu.alloc
// DIRECT-NOT: gpu.memcpy
// DIRECT: memref.load %[[X]][
// DIRECT: memref.store %{{.*}}, %[[R]][
// DIRECT-NOT: gpu.memcpy
// DIRECT: return
func.func @scale(%x: memref<8xf32>) -> memref<8xf32> attributes {llvm.emit_c_interface, mdh.device_memory} {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in = gpu.alloc () : memref<8xf32>
  %out = gpu.alloc () : memref<8xf32>
  gpu.memcpy %in, %x : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %e = memref.load %in[%tx] : memref<8xf32>
    memref.store %e, %out[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in : memref<8xf32>
  gpu.dealloc %out : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// An argument that is written in place: the kernel works in the memory of the caller.
// DIRECT-LABEL: func.func @in_place(
// DIRECT-SAME: %[[X:[^:]*]]: memref<8xf32>) attributes
// DIRECT-NOT: gpu.alloc
// DIRECT-NOT: gpu.memcpy
// DIRECT: memref.load %[[X]][
// DIRECT: memref.store %{{.*}}, %[[X]][
// DIRECT-NOT: gpu.memcpy
// DIRECT: return
func.func @in_place(%x: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %one = arith.constant 1 : index
  %own = gpu.alloc () : memref<8xf32>
  gpu.memcpy %own, %x : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %e = memref.load %own[%tx] : memref<8xf32>
    memref.store %e, %own[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %x, %own : memref<8xf32>, memref<8xf32>
  gpu.dealloc %own : memref<8xf32>
  return
}

// -----

// A result that keeps its former contents if there is nothing to compute.
// DIRECT-LABEL: func.func @nothing(
// DIRECT-NOT: gpu.alloc
// DIRECT-NOT: gpu.memcpy
// DIRECT: return
func.func @nothing(%x: memref<8xf32>, %is: i1) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %one = arith.constant 1 : index
  %own = gpu.alloc () : memref<8xf32>
  scf.if %is {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
      %e = arith.constant 1.0 : f32
      memref.store %e, %own[%tx] : memref<8xf32>
      gpu.terminator
    }
  } else {
    gpu.memcpy %own, %x : memref<8xf32>, memref<8xf32>
  }
  gpu.memcpy %x, %own : memref<8xf32>, memref<8xf32>
  gpu.dealloc %own : memref<8xf32>
  return
}

// -----

// A buffer that is written stays apart from the argument, and so does one that is copied to an argument which is read
// meanwhile.
// DIRECT-LABEL: func.func @apart(
// DIRECT-SAME: %[[X:[^:]*]]: memref<8xf32>, %[[Y:[^:]*]]: memref<8xf32>) attributes
// DIRECT: %[[OWN:.*]] = gpu.alloc ()
// DIRECT: gpu.memcpy %[[OWN]], %[[X]]
// DIRECT: memref.load %[[Y]][
// DIRECT: memref.store %{{.*}}, %[[OWN]][
// DIRECT: gpu.memcpy %[[Y]], %[[OWN]]
// DIRECT: gpu.dealloc %[[OWN]]
func.func @apart(%x: memref<8xf32>, %y: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %one = arith.constant 1 : index
  %own = gpu.alloc () : memref<8xf32>
  %other = gpu.alloc () : memref<8xf32>
  gpu.memcpy %own, %x : memref<8xf32>, memref<8xf32>
  gpu.memcpy %other, %y : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %e = memref.load %other[%tx] : memref<8xf32>
    memref.store %e, %own[%bx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %y, %own : memref<8xf32>, memref<8xf32>
  gpu.dealloc %own : memref<8xf32>
  gpu.dealloc %other : memref<8xf32>
  return
}

// -----

// Sizes of results are checked before they are computed. A buffer that the host accesses stays on the host.
// CHECK-LABEL: func.func private @mgpuCheckSize(index, index, index, index)
// CHECK-LABEL: func.func @sized(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[X:[^:]*]]: memref<f32>, %[[R:[^:]*]]: memref<?xf32>) -> f32
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<f32>
// CHECK: gpu.memcpy %[[HOST]], %[[X]]
// CHECK: %[[E:.*]] = memref.load %[[HOST]][]
// CHECK: %[[SIZE:.*]] = memref.dim %[[R]], %
// CHECK: call @mgpuCheckSize(%{{.*}}, %{{.*}}, %[[N]], %[[SIZE]])
// CHECK: %[[T:.*]] = gpu.alloc (%[[N]]) : memref<?xf32>
// CHECK: return %[[E]] : f32
func.func @sized(%n: index, %x: memref<f32>) -> (memref<?xf32>, f32) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %host = memref.alloc() : memref<f32>
  gpu.memcpy %host, %x : memref<f32>, memref<f32>
  %e = memref.load %host[] : memref<f32>
  %t = memref.alloc(%n) : memref<?xf32>
  return %t, %e : memref<?xf32>, f32
}

// -----

// A called function works in device memory, too.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: attributes {mdh.device_memory}
// CHECK: gpu.memcpy
func.func private @inner(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
func.func @outer(%x: memref<8xf32>, %y: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  call @inner(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
