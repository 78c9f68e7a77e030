// RUN: mdh-opt %s --mdh-split-rank-reductions | FileCheck %s

// CHECK-LABEL: func.func @extract
// CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}, 0] [1, %{{.*}}, 1] [1, 2, 1] : tensor<2x?x3xf32> to tensor<1x?x1xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<1x?x1xf32> into tensor<1x?xf32>
// CHECK: tensor.extract_slice %{{.*}} : tensor<2x?x3xf32> to tensor<1x1x1xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<1x1x1xf32> into tensor<1xf32>
// CHECK: tensor.extract_slice %{{.*}} : tensor<2x?x3xf32> to tensor<f32>
func.func @extract(%x: tensor<2x?x3xf32>, %o: index, %n: index) -> (tensor<1x?xf32>, tensor<1xf32>, tensor<f32>) {
  %a = tensor.extract_slice %x[0, %o, 0] [1, %n, 1] [1, 2, 1] : tensor<2x?x3xf32> to tensor<1x?xf32>
  %b = tensor.extract_slice %x[0, %o, 2] [1, 1, 1] [1, 1, 1] : tensor<2x?x3xf32> to tensor<1xf32>
  %c = tensor.extract_slice %x[0, %o, 2] [1, 1, 1] [1, 1, 1] : tensor<2x?x3xf32> to tensor<f32>
  return %a, %b, %c : tensor<1x?xf32>, tensor<1xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @insert
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x1xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [1, 3, 1] : tensor<3x1xf32> into tensor<1x3x1xf32>
// CHECK: tensor.insert_slice %[[E]] into %{{.*}}[1, 0, %{{.*}}] [1, 3, 1] [1, 1, 2] : tensor<1x3x1xf32> into tensor<2x5x2xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [1, %{{.*}}, 1] : tensor<1x?xf32> into tensor<1x?x1xf32>
// CHECK: scf.forall
// CHECK: tensor.expand_shape
// CHECK: scf.forall.in_parallel
// CHECK: tensor.parallel_insert_slice %{{.*}} : tensor<1x1xf32> into tensor<4x1xf32>
func.func @insert(%x: tensor<3x1xf32>, %y: tensor<2x5x2xf32>, %z: tensor<1x?xf32>, %w: tensor<4x1xf32>, %v: tensor<1xf32>, %o: index, %n: index) -> (tensor<2x5x2xf32>, tensor<2x5x2xf32>, tensor<4x1xf32>) {
  %a = tensor.insert_slice %x into %y[1, 0, %o] [1, 3, 1] [1, 1, 2] : tensor<3x1xf32> into tensor<2x5x2xf32>
  %b = tensor.insert_slice %z into %y[1, 0, %o] [1, %n, 1] [1, 1, 1] : tensor<1x?xf32> into tensor<2x5x2xf32>
  %c = scf.forall (%i) in (4) shared_outs(%all = %w) -> tensor<4x1xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %all[%i, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<4x1xf32>
    }
  }
  return %a, %b, %c : tensor<2x5x2xf32>, tensor<2x5x2xf32>, tensor<4x1xf32>
}

// The strides of the slice, and dynamic strides.
// CHECK-LABEL: func.func @views
// CHECK-NOT: memref.subview
// CHECK: memref.extract_strided_metadata
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [3, 1], strides: [2, 2]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [1, 3], strides: [%{{.*}}, %{{.*}}]
func.func @views(%x: memref<2x5x2xf32>, %y: memref<2x5x2xf32, strided<[?, ?, ?], offset: ?>>, %o: index) -> (memref<3x1xf32, strided<[2, 2], offset: ?>>, memref<1x3xf32, strided<[?, ?], offset: ?>>) {
  %a = memref.subview %x[1, 0, %o] [1, 3, 1] [1, 1, 2] : memref<2x5x2xf32> to memref<3x1xf32, strided<[2, 2], offset: ?>>
  %b = memref.subview %y[1, 1, %o] [1, 3, 1] [1, 1, 1] : memref<2x5x2xf32, strided<[?, ?, ?], offset: ?>> to memref<1x3xf32, strided<[?, ?], offset: ?>>
  return %a, %b : memref<3x1xf32, strided<[2, 2], offset: ?>>, memref<1x3xf32, strided<[?, ?], offset: ?>>
}

// These are determined.
// CHECK-LABEL: func.func @determined
// CHECK-NOT: collapse_shape
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @determined(%x: tensor<2x5x2xf32>, %m: memref<2x5x2xf32>, %o: index) -> (tensor<5x2xf32>, tensor<1x5x1xf32>, memref<3x1xf32, strided<[2, 1], offset: ?>>) {
  %a = tensor.extract_slice %x[%o, 0, 0] [1, 5, 2] [1, 1, 1] : tensor<2x5x2xf32> to tensor<5x2xf32>
  %b = tensor.extract_slice %x[%o, 0, 0] [1, 5, 1] [1, 1, 2] : tensor<2x5x2xf32> to tensor<1x5x1xf32>
  %c = memref.subview %m[1, 0, %o] [1, 3, 1] [1, 1, 1] : memref<2x5x2xf32> to memref<3x1xf32, strided<[2, 1], offset: ?>>
  return %a, %b, %c : tensor<5x2xf32>, tensor<1x5x1xf32>, memref<3x1xf32, strided<[2, 1], offset: ?>>
}
