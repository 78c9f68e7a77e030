// Histograms with a condition for each key and each bin.
// RUN: mdh-opt %s --mdh-raise --verify-diagnostics | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 8@5 8 5
// RUN: %against-numpy mdh run %s --function guarded --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function selected --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function selected_value --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function generic --input %t0.npy --input %t1.npy --input %t2.npy --check

// CHECK-LABEL: @guarded
// CHECK:       affine.for
// CHECK:       scf.if
func.func @guarded(%key: memref<8xi32>, %x: memref<8xf32>, %h: memref<5xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires stores without conditions}}
  affine.for %i = 0 to 8 {
    // expected-remark @below {{is not raised: requires stores without conditions}}
    affine.for %b = 0 to 5 {
      %k = affine.load %key[%i] : memref<8xi32>
      %j = arith.index_cast %b : index to i32
      %c = arith.cmpi eq, %k, %j : i32
      scf.if %c {
        %v = affine.load %x[%i] : memref<8xf32>
        %o = affine.load %h[%b] : memref<5xf32>
        %s = arith.addf %o, %v : f32
        affine.store %s, %h[%b] : memref<5xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: @selected
// CHECK:       affine.for
func.func @selected(%key: memref<8xi32>, %x: memref<8xf32>, %h: memref<5xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines values of types (i32, i32, f32) with them}}
  affine.for %i = 0 to 8 {
    affine.for %b = 0 to 5 {
      %k = affine.load %key[%i] : memref<8xi32>
      %j = arith.index_cast %b : index to i32
      %c = arith.cmpi eq, %k, %j : i32
      %v = affine.load %x[%i] : memref<8xf32>
      %o = affine.load %h[%b] : memref<5xf32>
      %s = arith.addf %o, %v : f32
      %n = arith.select %c, %s, %o : f32
      affine.store %n, %h[%b] : memref<5xf32>
    }
  }
  return
}

// CHECK-LABEL: @selected_value
// CHECK:       combine [#mdh.pw<[add]>, #mdh.cc]
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @selected_value(%key: memref<8xi32>, %x: memref<8xf32>, %h: memref<5xf32> {llvm.noalias}) {
  %zero = arith.constant -0.0 : f32
  affine.for %i = 0 to 8 {
    affine.for %b = 0 to 5 {
      %k = affine.load %key[%i] : memref<8xi32>
      %j = arith.index_cast %b : index to i32
      %c = arith.cmpi eq, %k, %j : i32
      %v = affine.load %x[%i] : memref<8xf32>
      %w = arith.select %c, %v, %zero : f32
      %o = affine.load %h[%b] : memref<5xf32>
      %s = arith.addf %o, %w : f32
      affine.store %s, %h[%b] : memref<5xf32>
    }
  }
  return
}

// CHECK-LABEL: @generic
// CHECK:       linalg.generic
func.func @generic(%key: tensor<8xi32>, %x: tensor<8xf32>, %h: tensor<5xf32>) -> tensor<5xf32> {
  // expected-remark @below {{is not raised: requires a value for each output, of types (f32), but the region combines values of types (i32, i32, f32) with them}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (b)>], iterator_types = ["reduction", "parallel"]} ins(%key, %x : tensor<8xi32>, tensor<8xf32>) outs(%h : tensor<5xf32>) {
  ^bb0(%k: i32, %v: f32, %o: f32):
    %b = linalg.index 1 : index
    %j = arith.index_cast %b : index to i32
    %c = arith.cmpi eq, %k, %j : i32
    %s = arith.addf %o, %v : f32
    %n = arith.select %c, %s, %o : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
