// RUN: mdh-opt %s --mdh-kernel-arguments=target=cuda --split-input-file --verify-diagnostics

func.func @complex(%n: index, %z: complex<f32>) {
  // expected-error @below {{a kernel requires numbers and memrefs, but uses a value of type complex<f32>}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %x = complex.re %z : complex<f32>
    gpu.terminator
  }
  return
}
