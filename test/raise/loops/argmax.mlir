// Loops that carry values which depend on each other, such as the maximum with its index.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 40 40 5x40 5 5@9 40@9
// RUN: %against-numpy mdh run %s --function argmax --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function last_of_equal --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function branch --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function rows --input %t2.npy --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function only_index --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function beside_sum --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function in_tensors --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function nan --raise required --check

// CHECK:       mdh.hom.operator
// CHECK-LABEL: @argmax
// CHECK:       mdh.hom.md_hom %{{.*}} init(%{{.*}}, %{{.*}} : f32, i32) combine [#mdh.pw<@
// CHECK:       mdh.hom.index 0
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @argmax(%x: memref<40xf32>) -> (f32, i32) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %r:2 = affine.for %i = 0 to 40 iter_args(%m = %least, %at = %none) -> (f32, i32) {
    %v = affine.load %x[%i] : memref<40xf32>
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %v, %m : f32
    %n = arith.select %c, %v, %m : f32
    %k = arith.select %c, %j, %at : i32
    affine.yield %n, %k : f32, i32
  }
  return %r#0, %r#1 : f32, i32
}

// CHECK-LABEL: @last_of_equal
// CHECK:       combine [#mdh.pw<@
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @last_of_equal(%x: memref<40xi32>) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %most = arith.constant 2147483647 : i32
  %r:2 = scf.for %i = %c0 to %c40 step %c1 iter_args(%at = %c0, %m = %most) -> (index, i32) {
    %v = memref.load %x[%i] : memref<40xi32>
    %c = arith.cmpi sle, %v, %m : i32
    %k = arith.select %c, %i, %at : index
    %n = arith.select %c, %v, %m : i32
    scf.yield %k, %n : index, i32
  }
  return %r#0, %r#1 : index, i32
}

// CHECK-LABEL: @branch
// CHECK:       combine [#mdh.pw<@
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @branch(%x: memref<40xf32>) -> (f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %r:2 = scf.for %i = %c0 to %c40 step %c1 iter_args(%m = %least, %at = %none) -> (f32, i32) {
    %v = memref.load %x[%i] : memref<40xf32>
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %v, %m : f32
    %b:2 = scf.if %c -> (f32, i32) {
      scf.yield %v, %j : f32, i32
    } else {
      scf.yield %m, %at : f32, i32
    }
    scf.yield %b#0, %b#1 : f32, i32
  }
  return %r#0, %r#1 : f32, i32
}

// The results are stored to memrefs, which are the outputs.
// CHECK-LABEL: @rows
// CHECK-NOT:   memref.alloc
// CHECK:       combine [#mdh.cc, #mdh.pw<@
// CHECK:       mdh.view.out_view %{{.*}} into %{{.*}}, %{{.*}} : !mdh.mda<5x1, f32, i32>, memref<5xf32>, memref<5xi32>
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @rows(%x: memref<5x40xf32> {llvm.noalias}, %y: memref<5xf32> {llvm.noalias}, %z: memref<5xi32> {llvm.noalias}) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  affine.for %k = 0 to 5 {
    %r:2 = affine.for %i = 0 to 40 iter_args(%m = %least, %at = %none) -> (f32, i32) {
      %v = affine.load %x[%k, %i] : memref<5x40xf32>
      %j = arith.index_cast %i : index to i32
      %c = arith.cmpf ogt, %v, %m : f32
      %n = arith.select %c, %v, %m : f32
      %o = arith.select %c, %j, %at : i32
      affine.yield %n, %o : f32, i32
    }
    affine.store %r#0, %y[%k] : memref<5xf32>
    affine.store %r#1, %z[%k] : memref<5xi32>
  }
  return
}

// CHECK-LABEL: @only_index
// CHECK:       combine [#mdh.pw<@
// CHECK:       return
func.func @only_index(%x: memref<40xf32>) -> i32 {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %r:2 = affine.for %i = 0 to 40 iter_args(%m = %least, %at = %none) -> (f32, i32) {
    %v = affine.load %x[%i] : memref<40xf32>
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %v, %m : f32
    %n = arith.select %c, %v, %m : f32
    %k = arith.select %c, %j, %at : i32
    affine.yield %n, %k : f32, i32
  }
  return %r#1 : i32
}

// A sum does not depend on the others.
// CHECK-LABEL: @beside_sum
// CHECK-DAG:   combine [#mdh.pw<@
// CHECK-DAG:   combine [#mdh.pw<[add]>]
// CHECK:       return
func.func @beside_sum(%x: memref<40xf32>) -> (f32, f32, i32) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %r:3 = affine.for %i = 0 to 40 iter_args(%m = %least, %s = %zero, %at = %none) -> (f32, f32, i32) {
    %v = affine.load %x[%i] : memref<40xf32>
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %v, %m : f32
    %n = arith.select %c, %v, %m : f32
    %k = arith.select %c, %j, %at : i32
    %t = arith.addf %s, %v : f32
    affine.yield %n, %t, %k : f32, f32, i32
  }
  return %r#0, %r#1, %r#2 : f32, f32, i32
}

// CHECK-LABEL: @in_tensors
// CHECK:       combine [#mdh.cc, #mdh.pw<@
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @in_tensors(%x: tensor<5x40xf32>) -> (tensor<5xi32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c40 = arith.constant 40 : index
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5xi32>
  %f = tensor.empty() : tensor<5xf32>
  %a:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%t = %e, %u = %f) -> (tensor<5xi32>, tensor<5xf32>) {
    %r:2 = scf.for %i = %c0 to %c40 step %c1 iter_args(%m = %least, %at = %none) -> (f32, i32) {
      %v = tensor.extract %x[%k, %i] : tensor<5x40xf32>
      %j = arith.index_cast %i : index to i32
      %c = arith.cmpf ogt, %v, %m : f32
      %n = arith.select %c, %v, %m : f32
      %o = arith.select %c, %j, %at : i32
      scf.yield %n, %o : f32, i32
    }
    %n = tensor.insert %r#1 into %t[%k] : tensor<5xi32>
    %o = tensor.insert %r#0 into %u[%k] : tensor<5xf32>
    scf.yield %n, %o : tensor<5xi32>, tensor<5xf32>
  }
  return %a#0, %a#1 : tensor<5xi32>, tensor<5xf32>
}

// A NaN is never selected.
func.func @nan() -> (f32, i32) {
  %x = arith.constant dense<[1.0, 0x7FC00000, 3.0, 0x7FC00000, 3.0, 2.0]> : tensor<6xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%m = %least, %at = %none) -> (f32, i32) {
    %v = tensor.extract %x[%i] : tensor<6xf32>
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %v, %m : f32
    %n = arith.select %c, %v, %m : f32
    %k = arith.select %c, %j, %at : i32
    scf.yield %n, %k : f32, i32
  }
  return %r#0, %r#1 : f32, i32
}
