// RUN: mdh-opt %s --mdh-reinterpret-expansions | FileCheck %s
// RUN: mdh-opt %s --mdh-reinterpret-expansions --expand-strided-metadata | FileCheck %s --check-prefix=EXPANDED

// EXPANDED-NOT: memref.expand_shape

// CHECK-LABEL: func.func @axes
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<6x?x4xf32, strided<[?, 4, 1], offset: ?>>, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[ROW:.*]] = arith.muli %[[M]], %[[STRIDES]]#1
// CHECK: %[[PLANE:.*]] = arith.muli %{{.*}}, %[[ROW]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [6, %[[N]], 3, %[[M]], 2, 2], strides: [%[[STRIDES]]#0, %[[PLANE]], %[[ROW]], 4, 2, 1]
func.func @axes(%x: memref<6x?x4xf32, strided<[?, 4, 1], offset: ?>>, %n: index, %m: index)
    -> memref<6x?x3x?x2x2xf32, strided<[?, ?, ?, 4, 2, 1], offset: ?>> {
  %r = memref.expand_shape %x [[0], [1, 2, 3], [4, 5]] output_shape [6, %n, 3, %m, 2, 2]
    : memref<6x?x4xf32, strided<[?, 4, 1], offset: ?>> into memref<6x?x3x?x2x2xf32, strided<[?, ?, ?, 4, 2, 1], offset: ?>>
  return %r : memref<6x?x3x?x2x2xf32, strided<[?, ?, ?, 4, 2, 1], offset: ?>>
}

// One dynamic size along an axis is upstream's.
// CHECK-LABEL: func.func @one
// CHECK: memref.expand_shape
func.func @one(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
  %r = memref.expand_shape %x [[0, 1]] output_shape [%n, 2] : memref<?xf32> into memref<?x2xf32>
  return %r : memref<?x2xf32>
}
