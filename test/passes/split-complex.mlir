// RUN: mdh-opt %s --mdh-split-complex | FileCheck %s --implicit-check-not=complex.
// RUN: mdh run %s --function shapes --input 0.5 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function loop --input 0.5 --input 3 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function constants | FileCheck %s --check-prefix=CONSTANTS
// AGREES: agrees with the reference evaluator

#id = affine_map<(i, j) -> (i, j)>

// The parts of arguments are slices, and results are written by one computation.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME: (%[[X:.*]]: tensor<?x4x2xf64> {mdh.complex}) -> (tensor<?x4x2xf64> {mdh.complex})
// CHECK: %[[M:.*]] = tensor.dim %[[X]]
// CHECK: %[[RE:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [%[[M]], 4, 1] [1, 1, 1] : tensor<?x4x2xf64> to tensor<?x4xf64>
// CHECK: %[[IM:.*]] = tensor.extract_slice %[[X]][0, 0, 1]
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[RE]], %[[IM]] : tensor<?x4xf64>, tensor<?x4xf64>)
// CHECK-NEXT: ^bb0(%[[A:[^:]*]]: f64, %[[B:[^:]*]]: f64, %{{[^:]*}}: f64, %{{[^:]*}}: f64):
// CHECK-NEXT: linalg.yield %[[B]], %[[A]] : f64, f64
// CHECK: mdh.view.out_view %{{.*}}[#{{.*}}, #{{.*}}] : !mdh.mda<?x4, f64, f64> -> tensor<?x4x2xf64>
func.func @swapped(%x: tensor<?x4xcomplex<f64>>) -> tensor<?x4xcomplex<f64>> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xcomplex<f64>>
  %new = tensor.empty(%m) : tensor<?x4xcomplex<f64>>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xcomplex<f64>>) outs(%new : tensor<?x4xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %o: complex<f64>):
    %re = complex.re %a : complex<f64>
    %im = complex.im %a : complex<f64>
    %b = complex.create %im, %re : complex<f64>
    linalg.yield %b : complex<f64>
  } -> tensor<?x4xcomplex<f64>>
  return %r : tensor<?x4xcomplex<f64>>
}

// Operations that move elements move both parts.
// CHECK-LABEL: func.func @shapes
// CHECK-COUNT-2: tensor.pad
// CHECK-COUNT-2: tensor.collapse_shape
// CHECK-COUNT-2: linalg.transpose
func.func @shapes(%x: tensor<3x4xcomplex<f32>>) -> (tensor<20xcomplex<f32>>, tensor<4x3xcomplex<f32>>) {
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %p = tensor.pad %x low[1, 0] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %i : complex<f32>
  } : tensor<3x4xcomplex<f32>> to tensor<4x5xcomplex<f32>>
  %c = tensor.collapse_shape %p [[0, 1]] : tensor<4x5xcomplex<f32>> into tensor<20xcomplex<f32>>
  %new = tensor.empty() : tensor<4x3xcomplex<f32>>
  %t = linalg.transpose ins(%x : tensor<3x4xcomplex<f32>>) outs(%new : tensor<4x3xcomplex<f32>>) permutation = [1, 0]
  return %c, %t : tensor<20xcomplex<f32>>, tensor<4x3xcomplex<f32>>
}

// Scalars are pairs, too; a function without callers outside takes the parts.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[Z:.*]]: tensor<2xf32> {mdh.complex}, %{{.*}}: index) -> (tensor<2xf32> {mdh.complex})
// CHECK-COUNT-2: tensor.extract %[[Z]]
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK: func.call @twice
// CHECK: scf.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK: tensor.from_elements
// CHECK: func.func private @twice(%{{.*}}: f32, %{{.*}}: f32) -> (f32, f32)
func.func @loop(%z: complex<f32>, %n: index) -> complex<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %z) -> complex<f32> {
    %t = func.call @twice(%y) : (complex<f32>) -> complex<f32>
    scf.yield %t : complex<f32>
  }
  return %r : complex<f32>
}
func.func private @twice(%z: complex<f32>) -> complex<f32> {
  %re = complex.re %z : complex<f32>
  %im = complex.im %z : complex<f32>
  %a = arith.addf %re, %re : f32
  %b = arith.addf %im, %im : f32
  %r = complex.create %a, %b : complex<f32>
  return %r : complex<f32>
}

// CONSTANTS: [ 1.0 2.0]
// CONSTANTS-NEXT: [ 3.0 -4.0]
// CONSTANTS: [ 0.5 0.25]
func.func @constants() -> (tensor<2xcomplex<f32>>, tensor<complex<f32>>) {
  %a = arith.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>
  %b = arith.constant dense<(0.5, 0.25)> : tensor<complex<f32>>
  return %a, %b : tensor<2xcomplex<f32>>, tensor<complex<f32>>
}

// A slice has elements.
// CHECK-LABEL: func.func @without_elements(%{{.*}}: tensor<0x?x2xf32> {mdh.complex})
// CHECK: tensor.empty(%{{.*}}) : tensor<0x?xf32>
// CHECK-NOT: tensor.extract_slice
func.func @without_elements(%x: tensor<0x?xcomplex<f32>>) -> tensor<0x?xcomplex<f32>> {
  return %x : tensor<0x?xcomplex<f32>>
}
