// The code of versions: the condition, a view of each array with its subscripts, and the loops as they were.
// RUN: mdh-opt %s --mdh-delinearize | FileCheck %s

// Static sizes, and memory that is not shared: no condition, and no second version.
// CHECK-LABEL: @static
// CHECK-NOT:   scf.if
// CHECK:       %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [6, 8], strides: [8, 1] : memref<48xf64> to memref<6x8xf64>
// CHECK:       affine.for %[[I:.*]] = 0 to 6
// CHECK:         affine.for %[[J:.*]] = 0 to 8
// CHECK:           memref.load %[[A]][%[[I]], %[[J]]]
// CHECK-NOT:   mdh.original
func.func @static(%A: memref<48xf64>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      %x = affine.load %A[%i * 8 + %j] : memref<48xf64>
      %y = arith.addf %x, %x : f64
      affine.store %y, %A[%i * 8 + %j] : memref<48xf64>
    }
  }
  return
}

// 8 * m * n is at most 2^62, and n * m elements are within the memref.
// CHECK-LABEL: @dynamic
// CHECK-SAME:    (%[[N:.*]]: index, %[[M:.*]]: index, %[[MEMORY:.*]]: memref<?xf64>)
// CHECK-DAG:   %[[LIMIT:.*]] = arith.constant 4611686018427387904 : i128
// CHECK-DAG:   %[[BYTES:.*]] = arith.constant 8 : i128
// CHECK:       %[[WIDE:.*]] = arith.index_cast %[[M]] : index to i128
// CHECK:       %[[COLUMNS:.*]] = arith.minsi %[[WIDE]], %[[LIMIT]] : i128
// CHECK:       %[[ROW:.*]] = arith.muli %[[BYTES]], %[[COLUMNS]] : i128
// CHECK:       arith.cmpi sle, %[[ROW]], %[[LIMIT]] : i128
// CHECK:       memref.dim %[[MEMORY]]
// CHECK:       scf.if
// CHECK-NEXT:    %[[A:.*]] = memref.reinterpret_cast %[[MEMORY]] to offset: [0], sizes: [%[[N]], %[[M]]], strides: [%[[M]], 1] : memref<?xf64> to memref<?x?xf64>
// CHECK:           memref.load %[[A]]
// CHECK:       } else {
// CHECK:           affine.load %[[MEMORY]]
// CHECK:       } {mdh.original}
func.func @dynamic(%n: index, %m: index, %A: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %A[%i * symbol(%m) + %j] : memref<?xf64>
      %y = arith.addf %x, %x : f64
      affine.store %y, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}

// Neighbors have one condition and one view of the memory: the pure operation between them comes before.
// CHECK-LABEL: @neighbors
// CHECK:       math.exp
// CHECK:       scf.if
// CHECK-COUNT-1: memref.reinterpret_cast
// CHECK-NOT:   memref.reinterpret_cast
// CHECK-COUNT-2: {mdh.original}
func.func @neighbors(%n: index, %m: index, %A: memref<?xf64>, %s: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %s, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  %e = math.exp %s : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %A[%i * symbol(%m) + %j] : memref<?xf64>
      %y = arith.addf %x, %e : f64
      affine.store %y, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}

// Neighbors with a call between them have conditions of their own.
// CHECK-LABEL: @apart
// CHECK:       scf.if
// CHECK:       call @other
// CHECK:       scf.if
func.func private @other()
func.func @apart(%n: index, %m: index, %A: memref<?xf64>, %s: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %s, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  func.call @other() : () -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %s, %A[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}
