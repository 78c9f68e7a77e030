// The cost of math functions depends on the machine's vector registers; by the C library, each value costs a call. Devices have their own costs.
// RUN: mdh explain %s --machine %examples/machines/avx512.json --why | FileCheck %s --check-prefix=AVX512
// RUN: mdh explain %s --machine %examples/machines/avx2.json --why | FileCheck %s --check-prefix=AVX2
// RUN: mdh explain %s --machine %examples/machines/avx2.json --strict --why | FileCheck %s --check-prefix=STRICT
// RUN: mdh explain %s --system cuda --why | FileCheck %s --check-prefix=DEVICE
// RUN: mdh-opt %s --mdh-schedule | FileCheck %s --check-prefix=PASS

// AVX512: instructions:
// AVX512-NEXT: exp of f32: {{2[0-9]|3[0-9]}} vector instructions for 16 values
// AVX512-NEXT: sin of f64: {{[4-9][0-9]}} vector instructions for 8 values
// AVX512-NEXT: from L2
// AVX2: exp of f32: {{2[0-9]|3[0-9]}} vector instructions for 8 values
// AVX2-NEXT: sin of f64: {{[4-9][0-9]}} vector instructions for 4 values
// STRICT: exp of f32: 8 cycles a value, by a call of the C library
// STRICT-NEXT: sin of f64: 30 cycles a value, by a call of the C library
// DEVICE: exp of f32: {{2[0-9]|3[0-9]}} instructions a value
// PASS: schedule = {

func.func @functions(%x: tensor<65536xf32>) -> tensor<65536xf64> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<65536xf32>) -> !mdh.mda<65536, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    %f = math.exp %e : f32
    %wide = arith.extf %f : f32 to f64
    %s = math.sin %wide : f64
    mdh.hom.yield %s : f64
  } : !mdh.mda<65536, f32> -> !mdh.mda<65536, f64>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<65536, f64> -> tensor<65536xf64>
  return %y : tensor<65536xf64>
}
