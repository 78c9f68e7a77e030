// Nests with few points stay as they are, and their condition is not computed.
// RUN: mdh-opt %s --mdh-delinearize=least-points=256 --split-input-file | FileCheck %s

// CHECK-LABEL: @transpose(%arg0: index, %arg1: index
// CHECK:       %[[N:.*]] = arith.muli
// CHECK:       %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %c256{{.*}} : index
// CHECK:       %[[IF:.*]] = scf.if %[[MANY]] -> (i1) {
// CHECK:       i128
// CHECK:       } else {
// CHECK-NEXT:  %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:  scf.yield %[[FALSE]] : i1
// CHECK:       scf.if %[[IF]] {
// CHECK:       memref.reinterpret_cast
// CHECK:       } else {
// CHECK:       } {mdh.original}
func.func @transpose(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %r = arith.muli %i, %m : index
      %a = arith.addi %r, %j : index
      %x = memref.load %A[%a] : memref<?xf64>
      %s = arith.muli %j, %n : index
      %b = arith.addi %s, %i : index
      memref.store %x, %B[%b] : memref<?xf64>
    }
  }
  return
}

// -----

// A number of points that is known needs no condition.
// CHECK-LABEL: @known
// CHECK-NOT:   -> (i1)
// CHECK:       scf.if
// CHECK:       memref.reinterpret_cast
func.func @known(%m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    scf.for %j = %c0 to %c9 step %c1 {
      %r = arith.muli %i, %m : index
      %a = arith.addi %r, %j : index
      %x = memref.load %A[%a] : memref<?xf64>
      memref.store %x, %B[%a] : memref<?xf64>
    }
  }
  return
}
