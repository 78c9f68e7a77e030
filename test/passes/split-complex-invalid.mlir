// RUN: mdh-opt %s --mdh-split-complex --split-input-file --verify-diagnostics

// expected-error @below {{requires ranked tensors of complex numbers, but argument 1 has type memref<4xcomplex<f32>>}}
func.func @memref(%x: memref<4xcomplex<f32>>) {
  return
}

// -----

func.func private @declared(complex<f32>) -> complex<f32>
func.func @calls(%z: complex<f32>) -> complex<f32> {
  // expected-error @below {{requires a function with a body, because it is called with complex numbers}}
  %r = func.call @declared(%z) : (complex<f32>) -> complex<f32>
  return %r : complex<f32>
}

// -----

func.func @arithmetic(%x: complex<f32>) -> complex<f32> {
  // expected-error @below {{requires an operation that acts on real and imaginary parts, but is complex.exp on complex<f32>}}
  %r = complex.exp %x : complex<f32>
  return %r : complex<f32>
}

// -----

func.func @elements(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{requires the elements of a constant as a dense attribute}}
  %r = arith.constant dense_resource<numbers> : tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}

// -----

func.func @memory(%x: f32) -> f32 {
  // expected-error @below {{requires an operation that acts on real and imaginary parts, but is memref.alloc on memref<complex<f32>>}}
  %m = memref.alloc() : memref<complex<f32>>
  return %x : f32
}
