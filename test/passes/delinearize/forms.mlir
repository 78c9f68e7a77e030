// Indices in other forms, types and loops: what is read as a polynomial, and what is required of values in their types.
// RUN: mdh-opt %s --mdh-delinearize=print --verify-diagnostics | FileCheck %s
// RUN: mdh-opt %s --mdh-delinearize > %t.once.mlir
// RUN: mdh-opt %t.once.mlir --mdh-delinearize | diff %t.once.mlir -
// CHECK-LABEL: @reduction
// CHECK:       %[[RESULT:.*]] = scf.if {{.*}} -> (f32) {
// CHECK:       memref.reinterpret_cast
// CHECK:       } else {
// CHECK:       {mdh.original}
// CHECK:       return %[[RESULT]]
// CHECK-LABEL: @strided
// CHECK:       memref.extract_strided_metadata
// CHECK:       to offset: [%{{.*}}], sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, 1] : memref<?xf32, strided<[1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-LABEL: @overlap
// CHECK:       memref.extract_aligned_pointer_as_index
// CHECK:       memref.extract_aligned_pointer_as_index
// CHECK:       scf.if
// CHECK:       memref.cast %{{.*}} {mdh.disjoint = 0 : i64}
// CHECK:       memref.cast %{{.*}} {mdh.disjoint = 1 : i64}
// CHECK:       } else {
// CHECK:       {mdh.original}

// Sums and products of 32 bits must fit.
func.func @int_without_promise(%n: i32, %m: i32, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %ni = arith.index_cast %n : i32 to index
  %mi = arith.index_cast %m : i32 to index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %ni step %o {
    scf.for %j = %z to %mi step %o {
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.index_cast %j : index to i32
      %0 = arith.muli %i32, %m : i32
      %1 = arith.addi %0, %j32 : i32
      %2 = arith.index_cast %1 : i32 to index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if %arg0 * %arg1 <= 2147483648, exact}}
      memref.store %v, %A[%2] : memref<?xf32>
    }
  }
  return
}

// Operations that promise that they fit.
func.func @int_with_promise(%n: i32, %m: i32, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %ni = arith.index_cast %n : i32 to index
  %mi = arith.index_cast %m : i32 to index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %ni step %o {
    scf.for %j = %z to %mi step %o {
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.index_cast %j : index to i32
      %0 = arith.muli %i32, %m overflow<nsw> : i32
      %1 = arith.addi %0, %j32 overflow<nsw> : i32
      %2 = arith.extsi %1 : i32 to i64
      %3 = arith.index_cast %2 : i64 to index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      memref.store %v, %A[%3] : memref<?xf32>
    }
  }
  return
}

// Numbers without a sign.
func.func @unsigned(%n: i32, %m: i32, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %ni = arith.index_castui %n : i32 to index
  %mi = arith.index_castui %m : i32 to index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %ni step %o {
    scf.for %j = %z to %mi step %o {
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.index_cast %j : index to i32
      %0 = arith.muli %i32, %m : i32
      %1 = arith.addi %0, %j32 : i32
      %3 = arith.index_castui %1 : i32 to index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if %arg0 * %arg1 <= 4294967296, exact}}
      memref.store %v, %A[%3] : memref<?xf32>
    }
  }
  return
}

// 64 bits.
func.func @size_t(%n: i64, %m: i64, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %ni = arith.index_cast %n : i64 to index
  %mi = arith.index_cast %m : i64 to index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %ni step %o {
    scf.for %j = %z to %mi step %o {
      %i32 = arith.index_cast %i : index to i64
      %j32 = arith.index_cast %j : index to i64
      %0 = arith.muli %i32, %m : i64
      %1 = arith.addi %0, %j32 : i64
      %3 = arith.index_cast %1 : i64 to index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      memref.store %v, %A[%3] : memref<?xf32>
    }
  }
  return
}

// A step: the last value is a parameter, and the last pair must be within the row.
func.func @steps(%n: index, %m: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %t = arith.constant 2 : index
  scf.for %i = %z to %n step %o {
    scf.for %j = %z to %m step %t {
      %0 = arith.muli %i, %m : index
      %1 = arith.addi %0, %j : index
      %2 = arith.addi %1, %o : index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j], [i][j + 1] if s2 + 2 <= %arg1, exact}}
      memref.store %v, %A[%1] : memref<?xf32>
      memref.store %v, %A[%2] : memref<?xf32>
    }
  }
  return
}

// A loop that counts.
func.func @while(%n: index, %m: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.for %i = %z to %n step %o {
    scf.while (%j = %z) : (index) -> index {
      %c = arith.cmpi slt, %j, %m : index
      scf.condition(%c) %j : index
    } do {
    ^bb0(%j: index):
      %0 = arith.muli %i, %m : index
      %1 = arith.addi %0, %j : index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      memref.store %v, %A[%1] : memref<?xf32>
      %k = arith.addi %j, %o : index
      scf.yield %k : index
    }
  }
  return
}

// A shift is a product.
func.func @shift(%n: index, %m: index, %A: memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %t = arith.constant 2 : index
  scf.for %i = %z to %n step %o {
    scf.for %j = %z to %m step %o {
      %0 = arith.muli %i, %m : index
      %1 = arith.addi %0, %j : index
      %2 = arith.shli %1, %t : index
      // expected-remark @below {{has shape [?][4 * %arg1] and subscripts [i][4 * j] if true, exact}}
      memref.store %v, %A[%2] : memref<?xf32>
    }
  }
  return
}

// Loops that carry a value, which is a result of the versions.
func.func @reduction(%n: index, %m: index, %A: memref<?xf32>, %B: memref<?xf32>) -> f32 {
  %v = arith.constant 0.0 : f32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %r = scf.for %i = %z to %n step %o iter_args(%s = %v) -> f32 {
    %q = scf.for %j = %z to %m step %o iter_args(%t = %s) -> f32 {
      %0 = arith.muli %i, %m : index
      %1 = arith.addi %0, %j : index
      // expected-remark @below {{has shape [?][%arg1] and subscripts [i][j] if true, exact}}
      %a = memref.load %A[%1] : memref<?xf32>
      %b = arith.addf %t, %a : f32
      scf.yield %b : f32
    }
    scf.yield %q : f32
  }
  return %r : f32
}

// A part of other memory.
func.func @strided(%A: memref<?xf32, strided<[1], offset: ?>>, %n: index, %m: index) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // expected-remark @below {{has shape [?][%arg2] and subscripts [i][j] if true, exact}}
      affine.store %v, %A[%i * symbol(%m) + %j] : memref<?xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// Memrefs that may share memory, without another shape.
func.func @overlap(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    affine.store %0, %y[%i] : memref<?xf32>
  }
  return
}
