// Values that elements accumulate, and that each iteration stores: scans, which come before the sums.
// RUN: mdh-opt %s --mdh-raise --verify-diagnostics | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 16x24 24 16x24 3x16x8 3x8 16x3x8
// RUN: %against-numpy mdh run %s --function rows --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function rows --input %t0.npy --input %t1.npy --input %t2.npy --strict --threads 2 --check
// RUN: %against-numpy mdh run %s --function read_again --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function batches --input %t3.npy --input %t4.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function read_between --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function written_between --input %t0.npy --input %t1.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function two_results --input %t0.npy --input %t1.npy --input %t2.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function crossed --input %t0.npy --input %t2.npy --check
// RUN: %against-numpy mdh run %s --function replaced --input %t0.npy --input %t1.npy --check

// CHECK-LABEL: @rows
// CHECK-SAME:  (%[[X:[^:]*]]: memref<16x24xf32> {llvm.noalias}, %[[C:[^:]*]]: memref<24xf32> {llvm.noalias}, %[[Y:[^:]*]]: memref<16x24xf32> {llvm.noalias})
// CHECK:       %[[BEFORE:.*]] = memref.subview %[[C]]
// CHECK:       %[[CARRY:.*]] = mdh.view.inp_view %[[BEFORE]]
// CHECK:       mdh.hom.md_hom %{{.*}} init(%[[CARRY]] : !mdh.mda<1x24, f32>) combine [#mdh.ps<[add]>, #mdh.cc]
// CHECK:       mdh.view.out_view %{{.*}} into %[[Y]]
// CHECK:       mdh.hom.md_hom %{{.*}} init(%{{.*}} : !mdh.mda<1x24, f32>) combine [#mdh.pw<[add]>, #mdh.cc]
// CHECK:       mdh.view.out_view %{{.*}} into %[[C]]
// CHECK:       return
func.func @rows(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[%i, %j] : memref<16x24xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      affine.store %2, %y[%i, %j] : memref<16x24xf32>
    }
  }
  return
}

// The accumulated value is set before, and read again.
// CHECK-LABEL: @read_again
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @read_again(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}) {
  %start = arith.constant 0.5 : f32
  affine.for %j = 0 to 24 {
    affine.store %start, %c[%j] : memref<24xf32>
  }
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[15 - %i, %j] : memref<16x24xf32>
      %2 = arith.maximumf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      %3 = affine.load %c[%j] : memref<24xf32>
      affine.store %3, %y[15 - %i, %j] : memref<16x24xf32>
    }
  }
  return
}

// The scanned loop is neither the outermost nor the innermost one, and the results have another order.
// CHECK-LABEL: @batches
// CHECK:       combine [#mdh.cc, #mdh.ps<[add]>, #mdh.cc]
// CHECK:       combine [#mdh.cc, #mdh.pw<[add]>, #mdh.cc]
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @batches(%x: memref<3x16x8xf32> {llvm.noalias}, %c: memref<3x8xf32> {llvm.noalias}, %y: memref<16x3x8xf32> {llvm.noalias}) {
  affine.for %b = 0 to 3 {
    affine.for %i = 0 to 16 {
      affine.for %j = 0 to 8 {
        %0 = affine.load %c[%b, %j] : memref<3x8xf32>
        %1 = affine.load %x[%b, %i, %j] : memref<3x16x8xf32>
        %2 = arith.subf %0, %1 : f32
        affine.store %2, %c[%b, %j] : memref<3x8xf32>
        affine.store %2, %y[%i, %b, %j] : memref<16x3x8xf32>
      }
    }
  }
  return
}

// Another element of the accumulated ones is read.
// CHECK-LABEL: @read_between
// CHECK:       affine.for
// CHECK:       affine.for
func.func @read_between(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<24xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %i = 0 to 16 {
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<24xf32> (an argument) is read before an earlier statement is done with it}}
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[%i, %j] : memref<16x24xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      %3 = affine.load %c[0] : memref<24xf32>
      affine.store %3, %y[%i, %j] : memref<16x24xf32>
    }
  }
  return
}

// The element is written before it is stored.
// CHECK-LABEL: @written_between
// CHECK:       affine.for
func.func @written_between(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<24xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[%i, %j] : memref<16x24xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      affine.store %1, %c[%j] : memref<24xf32>
      %3 = affine.load %c[%j] : memref<24xf32>
      affine.store %3, %y[%i, %j] : memref<16x24xf32>
    }
  }
  return
}

// Both results are scans.
// CHECK-LABEL: @two_results
// CHECK-COUNT-2: combine [#mdh.ps<[mul]>, #mdh.cc]
// CHECK:       combine [#mdh.pw<[mul]>, #mdh.cc]
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @two_results(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}, %z: memref<16x24xf32> {llvm.noalias}) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[%i, %j] : memref<16x24xf32>
      %2 = arith.mulf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      affine.store %2, %y[%i, %j] : memref<16x24xf32>
      affine.store %2, %z[15 - %i, %j] : memref<16x24xf32>
    }
  }
  return
}

// An iteration writes an element that a later one writes again.
// CHECK-LABEL: @crossed
// CHECK:       affine.for
func.func @crossed(%x: memref<16x24xf32> {llvm.noalias}, %y: memref<16x24xf32> {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<16x24xf32> (an argument) is written again before an earlier statement is done with it}}
  affine.for %i = 2 to 14 iter_args(%c = %one) -> f32 {
    %0 = affine.load %x[%i, %i] : memref<16x24xf32>
    affine.store %c, %y[4, %i] : memref<16x24xf32>
    %1 = arith.addf %c, %0 : f32
    affine.store %1, %y[%i + 2, 4] : memref<16x24xf32>
    affine.yield %1 : f32
  }
  return
}

// The results replace the elements that are accumulated.
// CHECK-LABEL: @replaced
// CHECK:       affine.for
func.func @replaced(%x: memref<16x24xf32> {llvm.noalias}, %c: memref<24xf32> {llvm.noalias}) {
  // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<16x24xf32> (an argument) is read before an earlier statement is done with it}}
  affine.for %i = 0 to 16 {
    // expected-remark @below {{is not raised: requires statements that can be executed one after the other, but an element of memref<24xf32> (an argument) is read before an earlier statement is done with it}}
    affine.for %j = 0 to 24 {
      %0 = affine.load %c[%j] : memref<24xf32>
      %1 = affine.load %x[%i, %j] : memref<16x24xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %c[%j] : memref<24xf32>
      affine.store %2, %x[%i, %j] : memref<16x24xf32>
    }
  }
  return
}
