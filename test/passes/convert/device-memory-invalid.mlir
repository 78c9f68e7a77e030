// What functions with device memory cannot do.
// RUN: mdh-opt %s --split-input-file --verify-diagnostics --mdh-device-memory

func.func private @external(memref<8xf32>)
func.func @calls(%x: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  // expected-error@+1 {{device memory requires that called functions are private and have a body, but 'external' is not}}
  call @external(%x) : (memref<8xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{the function works in device memory}}
func.func private @shared(%x: memref<8xf32>) {
  return
}
func.func @on_device(%x: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
  call @shared(%x) : (memref<8xf32>) -> ()
  return
}
func.func @on_host(%x: memref<8xf32>) attributes {llvm.emit_c_interface} {
  // expected-error@+1 {{'shared' requires callers with device memory, but 'on_host' has none}}
  call @shared(%x) : (memref<8xf32>) -> ()
  return
}

// -----

func.func @accesses(%x: memref<8xf32>, %i: index) -> f32 attributes {llvm.emit_c_interface, mdh.device_memory} {
  // expected-error@+1 {{'accesses' has device memory, which requires that kernels access its buffers, but this operation does on the host}}
  %e = memref.load %x[%i] : memref<8xf32>
  return %e : f32
}

// -----

func.func @escapes(%i: index, %e: f32) -> memref<8xf32> attributes {llvm.emit_c_interface, mdh.device_memory} {
  // expected-note@+1 {{the buffer is defined here}}
  %t = memref.alloc() : memref<8xf32>
  // expected-error@+1 {{'escapes' has device memory, which requires that kernels access its buffers, but this operation does on the host}}
  memref.store %e, %t[%i] : memref<8xf32>
  return %t : memref<8xf32>
}
