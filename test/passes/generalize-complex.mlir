// RUN: mdh-opt %s --mdh-generalize-complex | FileCheck %s
// RUN: mdh-opt %s --mdh-generalize-complex --convert-complex-to-standard --mdh-split-complex --mdh-raise | FileCheck %s --check-prefix=RAISED

// CHECK-LABEL: func.func @matmul
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: attrs
// CHECK: complex.mul
// CHECK: complex.add
// RAISED-LABEL: func.func @matmul
// RAISED: combine [#mdh.cc, #mdh.cc, #mdh.pw<[add, add]>]
func.func @matmul(%A: tensor<6x7xcomplex<f32>>, %B: tensor<7x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %new = tensor.empty() : tensor<6x5xcomplex<f32>>
  %start = linalg.fill ins(%zero : complex<f32>) outs(%new : tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  %r = linalg.matmul ins(%A, %B : tensor<6x7xcomplex<f32>>, tensor<7x5xcomplex<f32>>) outs(%start : tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %r : tensor<6x5xcomplex<f32>>
}

// A product is declared associative, and has an operator on pairs.
// CHECK-LABEL: func.func @product
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction"]
// CHECK-SAME: attrs = {mdh.associative}
// RAISED-LABEL: func.func @product
// RAISED: combine [#mdh.pw<@{{.*}}>]
func.func @product(%x: tensor<9xcomplex<f64>>) -> tensor<complex<f64>> {
  %one = complex.constant [1.0 : f64, 0.0 : f64] : complex<f64>
  %new = tensor.empty() : tensor<complex<f64>>
  %start = linalg.fill ins(%one : complex<f64>) outs(%new : tensor<complex<f64>>) -> tensor<complex<f64>>
  %r = linalg.reduce { complex.mul } ins(%x : tensor<9xcomplex<f64>>) outs(%start : tensor<complex<f64>>) dimensions = [0]
  return %r : tensor<complex<f64>>
}

// Other numbers stay as they are.
// CHECK-LABEL: func.func @real
// CHECK: linalg.matvec
func.func @real(%A: tensor<6x7xf32>, %v: tensor<7xf32>, %w: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.matvec ins(%A, %v : tensor<6x7xf32>, tensor<7xf32>) outs(%w : tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
