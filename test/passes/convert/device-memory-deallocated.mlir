// After deallocations have been inserted, buffers that escape are moved to the device with them.
// RUN: mdh-opt %s --mdh-device-memory=deallocated=true | FileCheck %s
// CHECK-LABEL: func.func @escaping(
// CHECK: %[[A:.*]] = gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK: %[[R:.*]] = scf.if
// CHECK: %[[B:.*]] = gpu.alloc () : memref<4xf32>
// CHECK: gpu.memcpy
// CHECK: gpu.dealloc %[[R]]
// CHECK-NOT: memref.dealloc
func.func @escaping(%n: index, %x: memref<?xf32>, %is: i1) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %a = memref.alloc(%n) : memref<?xf32>
  %r = scf.if %is -> memref<?xf32> {
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc() : memref<4xf32>
    %c = memref.cast %b : memref<4xf32> to memref<?xf32>
    scf.yield %c : memref<?xf32>
  } else {
    scf.yield %a : memref<?xf32>
  }
  memref.copy %x, %r : memref<?xf32> to memref<?xf32>
  memref.dealloc %r : memref<?xf32>
  return
}

// The list of addresses that upstream's deallocation compares is on the host, and so are functions without device memory.
// CHECK-LABEL: func.func @lists(
// CHECK: %[[LIST:.*]] = memref.alloc() : memref<1xindex>
// CHECK: memref.store %{{.*}}, %[[LIST]]
// CHECK: memref.dealloc %[[LIST]]
// CHECK-LABEL: func.func @on_host(
// CHECK: memref.alloc()
func.func private @helper(memref<1xindex>)
func.func @lists(%x: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  %zero = arith.constant 0 : index
  %list = memref.alloc() : memref<1xindex>
  %address = memref.extract_aligned_pointer_as_index %x : memref<8xf32> -> index
  memref.store %address, %list[%zero] : memref<1xindex>
  call @helper(%list) : (memref<1xindex>) -> ()
  memref.dealloc %list : memref<1xindex>
  return
}
func.func @on_host() -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  return %a : memref<8xf32>
}
