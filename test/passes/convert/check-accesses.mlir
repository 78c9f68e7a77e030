// Accesses of memrefs are checked, unless they are known to be inside; so are views, copies and the sizes of buffers.
// RUN: mdh-opt %s --mdh-check-accesses --split-input-file | FileCheck %s
// RUN: mdh-opt %s --mdh-check-accesses --canonicalize --split-input-file | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @element
// CHECK: %[[SIZE:.*]] = memref.dim %arg0
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %arg1, %[[SIZE]] : index
// CHECK: cf.assert %[[INSIDE]], "mdh check: {{.*}}check-accesses.mlir:[[#@LINE+3]]:8: error: requires an access inside of memref<?xf32>"
// CHECK: memref.load
func.func @element(%x: memref<?xf32>, %i: index) -> f32 {
  %a = memref.load %x[%i] : memref<?xf32>
  return %a : f32
}

// -----

// The bounds of the loop are those of the memref.
// CHECK-LABEL: @known
// CHECK-NOT: cf.assert
// CHECK: return
// CHECK-LABEL: @beyond
// CHECK: cf.assert
// CHECK-LABEL: @wraps
// CHECK: cf.assert
func.func @known(%x: memref<2x64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %row = arith.muli %i, %c8 : index
      %k = arith.addi %row, %j : index
      memref.store %v, %x[%c1, %k] : memref<2x64xf32>
    }
  }
  return
}
func.func @beyond(%x: memref<2x64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c65 = arith.constant 65 : index
  scf.for %i = %c0 to %c65 step %c1 {
    memref.store %v, %x[%c1, %i] : memref<2x64xf32>
  }
  return
}
func.func @wraps(%x: memref<64xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.muli %i, %c2 : index
    memref.store %v, %x[%k] : memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: @vectors
// CHECK-COUNT-4: cf.assert
// CHECK-NOT: cf.assert
// FOLDED-LABEL: @vectors
// FOLDED: arith.cmpi uge, %{{.*}}, %c8
// FOLDED: vector.load
func.func @vectors(%x: memref<?x?xf32>, %i: index, %j: index, %m: vector<8xi1>, %o: vector<8xf32>) {
  %a = vector.load %x[%i, %j] : memref<?x?xf32>, vector<8xf32>
  vector.store %a, %x[%i, %j] : memref<?x?xf32>, vector<8xf32>
  %b = vector.maskedload %x[%i, %j], %m, %o : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %x[%i, %j], %m, %b : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
  return
}

// -----

// CHECK-LABEL: @views
// CHECK: memref.subview
// CHECK: cf.assert %{{.*}}, "mdh check: {{.*}} error: requires a view inside of memref<?xf32>"
// CHECK: memref.cast
// CHECK: cf.assert %{{.*}}, "mdh check: {{.*}} error: requires a view inside of memref<?xf32
func.func @views(%x: memref<?xf32>, %o: index, %n: index, %s: index) -> memref<4xf32, strided<[?], offset: ?>> {
  %part = memref.subview %x[%o] [%n] [%s] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %fixed = memref.cast %part : memref<?xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  return %fixed : memref<4xf32, strided<[?], offset: ?>>
}

// -----

// CHECK-LABEL: @buffers
// CHECK: cf.assert %{{.*}}, "mdh check: {{.*}} error: requires a buffer of at most 1099511627776 elements"
// CHECK: memref.alloc
// CHECK: cf.assert %{{.*}}, "mdh check: {{.*}} error: requires equal sizes of memref<?x?xf32> and memref<?x?xf32>"
// CHECK: memref.copy
func.func @buffers(%x: memref<?x?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  memref.copy %x, %a : memref<?x?xf32> to memref<?x?xf32>
  return %a : memref<?x?xf32>
}

// -----

// CHECK-LABEL: @divisions
// CHECK-COUNT-3: cf.assert %{{.*}}, "mdh check: {{.*}} error: requires an integer divided neither by zero nor, if it is the least one, by -1"
// CHECK-NOT: cf.assert
func.func @divisions(%a: i64, %b: i64, %n: index, %v: vector<4xi32>) -> (i64, index, vector<4xi32>, index) {
  %c3 = arith.constant 3 : index
  %q = arith.divsi %a, %b : i64
  %r = arith.remui %n, %n : index
  %w = arith.divsi %v, %v : vector<4xi32>
  %t = arith.ceildivsi %n, %c3 : index
  return %q, %r, %w, %t : i64, index, vector<4xi32>, index
}
