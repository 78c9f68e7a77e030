// Scans in memory: each iteration of a loop combines a value with the element that the one before has written.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 16 16 5x16 5x16 9 9 1 1 0 0 4x9 4x9 0x9 0x9 4x0 4x0 2 2
// RUN: %against-numpy mdh run %s --function running_sum --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function rows --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function columns --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function reversed --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function in_place --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function differences --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function every_second --input 3 --input 2 --raise required --check
// RUN: %against-numpy mdh run %s --function start --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t4.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t6.npy --input %t7.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t8.npy --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_rows --input %t10.npy --input %t11.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_rows --input %t12.npy --input %t13.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic_rows --input %t14.npy --input %t15.npy --raise required --check
// RUN: %against-numpy mdh run %s --function exclusive --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function exclusive_rows --input %t2.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function once --input %t16.npy --input %t17.npy --raise required --check

// CHECK-LABEL: @running_sum
// CHECK:       %[[FIRST:.*]] = memref.subview %[[Y:[a-z0-9]+]][
// CHECK:       %[[X:.*]] = mdh.view.inp_view %{{[^ ]*}}[#{{.*}}] : (memref<16xf32>) -> !mdh.mda<15, f32>
// CHECK:       %[[CARRY:.*]] = mdh.view.inp_view %[[FIRST]]
// CHECK:       mdh.hom.md_hom %[[X]] init(%[[CARRY]] : !mdh.mda<1, f32>) combine [#mdh.ps<[add]>]
// CHECK:       mdh.view.out_view %{{.*}}[#{{.*}}] into %[[Y]]
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @running_sum(%x: memref<16xf32> {llvm.noalias}, %y: memref<16xf32> {llvm.noalias}) {
  affine.for %i = 1 to 16 {
    %a = affine.load %x[%i] : memref<16xf32>
    %b = affine.load %y[%i - 1] : memref<16xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[%i] : memref<16xf32>
  }
  return
}

// CHECK-LABEL: @rows
// CHECK:       init(%{{.*}} : !mdh.mda<5x1, f32>) combine [#mdh.cc, #mdh.ps<[max]>]
// CHECK:       return
func.func @rows(%x: memref<5x16xf32> {llvm.noalias}, %y: memref<5x16xf32> {llvm.noalias}) {
  affine.for %r = 0 to 5 {
    affine.for %i = 1 to 16 {
      %a = affine.load %x[%r, %i] : memref<5x16xf32>
      %b = affine.load %y[%r, %i - 1] : memref<5x16xf32>
      %s = arith.maximumf %a, %b : f32
      affine.store %s, %y[%r, %i] : memref<5x16xf32>
    }
  }
  return
}

// CHECK-LABEL: @columns
// CHECK:       init(%{{.*}} : !mdh.mda<1x16, f32>) combine [#mdh.ps<[mul]>, #mdh.cc]
// CHECK:       return
func.func @columns(%x: memref<5x16xf32> {llvm.noalias}, %y: memref<5x16xf32> {llvm.noalias}) {
  affine.for %r = 1 to 5 {
    affine.for %i = 0 to 16 {
      %a = affine.load %x[%r, %i] : memref<5x16xf32>
      %b = affine.load %y[%r - 1, %i] : memref<5x16xf32>
      %s = arith.mulf %a, %b : f32
      affine.store %s, %y[%r, %i] : memref<5x16xf32>
    }
  }
  return
}

// From the last element to the first one.
// CHECK-LABEL: @reversed
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       return
func.func @reversed(%x: memref<16xf32> {llvm.noalias}, %y: memref<16xf32> {llvm.noalias}) {
  affine.for %i = 1 to 16 {
    %a = affine.load %x[15 - %i] : memref<16xf32>
    %b = affine.load %y[16 - %i] : memref<16xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[15 - %i] : memref<16xf32>
  }
  return
}

// CHECK-LABEL: @in_place
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       return
func.func @in_place(%y: memref<16xf32>) {
  affine.for %i = 1 to 16 {
    %a = affine.load %y[%i] : memref<16xf32>
    %b = affine.load %y[%i - 1] : memref<16xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[%i] : memref<16xf32>
  }
  return
}

// CHECK-LABEL: @differences
// CHECK:       arith.negf
// CHECK:       return
func.func @differences(%x: memref<16xf32> {llvm.noalias}, %y: memref<16xf32> {llvm.noalias}) {
  affine.for %i = 1 to 16 {
    %a = affine.load %x[%i] : memref<16xf32>
    %p = arith.mulf %a, %a : f32
    %b = affine.load %y[%i - 1] : memref<16xf32>
    %s = arith.subf %b, %p : f32
    affine.store %s, %y[%i] : memref<16xf32>
  }
  return
}

// The distance is the step of the loop.
// CHECK-LABEL: @every_second
// CHECK:       !mdh.mda<7, i32> -> !mdh.mda<7, i32>
// CHECK:       return
func.func @every_second(%x: memref<16xi32> {llvm.noalias}, %y: memref<16xi32> {llvm.noalias}) {
  affine.for %i = 2 to 16 step 2 {
    %a = affine.load %x[%i] : memref<16xi32>
    %b = affine.load %y[%i - 2] : memref<16xi32>
    %s = arith.xori %b, %a : i32
    affine.store %s, %y[%i] : memref<16xi32>
  }
  return
}

// The first element of each row is a statement of its own.
// CHECK-LABEL: @start
// CHECK:       combine [#mdh.cc]
// CHECK:       combine [#mdh.cc, #mdh.ps<[add]>]
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @start(%x: memref<5x16xf32> {llvm.noalias}, %y: memref<5x16xf32> {llvm.noalias}) {
  affine.for %r = 0 to 5 {
    %f = affine.load %x[%r, 0] : memref<5x16xf32>
    affine.store %f, %y[%r, 0] : memref<5x16xf32>
    affine.for %i = 1 to 16 {
      %a = affine.load %x[%r, %i] : memref<5x16xf32>
      %b = affine.load %y[%r, %i - 1] : memref<5x16xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %y[%r, %i] : memref<5x16xf32>
    }
  }
  return
}

// The element before the first one is read only if the loop runs.
// CHECK-LABEL: @dynamic
// CHECK:       %[[RUNS:.*]] = arith.cmpi sgt
// CHECK:       scf.if %[[RUNS]] {
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       return
func.func @dynamic(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias}) {
  %zero = arith.constant 0 : index
  %n = memref.dim %x, %zero : memref<?xf32>
  affine.for %i = 1 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = affine.load %y[%i - 1] : memref<?xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: @dynamic_rows
// CHECK:       init(%{{.*}} : !mdh.mda<?x1, f32>) combine [#mdh.cc, #mdh.ps<[add]>]
// CHECK:       return
func.func @dynamic_rows(%x: memref<?x?xf32> {llvm.noalias}, %y: memref<?x?xf32> {llvm.noalias}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.dim %x, %zero : memref<?x?xf32>
  %n = memref.dim %x, %one : memref<?x?xf32>
  scf.for %r = %zero to %m step %one {
    scf.for %i = %one to %n step %one {
      %before = arith.subi %i, %one : index
      %a = memref.load %x[%r, %i] : memref<?x?xf32>
      %b = memref.load %y[%r, %before] : memref<?x?xf32>
      %s = arith.addf %b, %a : f32
      memref.store %s, %y[%r, %i] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: @once
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       return
func.func @once(%x: memref<2xf32> {llvm.noalias}, %y: memref<2xf32> {llvm.noalias}) {
  affine.for %i = 1 to 2 {
    %a = affine.load %x[%i] : memref<2xf32>
    %b = affine.load %y[%i - 1] : memref<2xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[%i] : memref<2xf32>
  }
  return
}

// The value before an iteration is stored.
// CHECK-LABEL: @exclusive
// CHECK:       combine [#mdh.cc]
// CHECK:       mdh.view.inp_view %{{.*}} : (memref<16xf32>) -> !mdh.mda<15, f32>
// CHECK:       init(%{{.*}} : f32) combine [#mdh.ps<[add]>]
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @exclusive(%x: memref<16xf32> {llvm.noalias}, %y: memref<16xf32> {llvm.noalias}) {
  %start = arith.constant 0.5 : f32
  %s = affine.for %i = 0 to 16 iter_args(%sum = %start) -> f32 {
    affine.store %sum, %y[%i] : memref<16xf32>
    %a = affine.load %x[%i] : memref<16xf32>
    %t = arith.addf %sum, %a : f32
    affine.yield %t : f32
  }
  return
}

// From the last element to the first one of each row.
// CHECK-LABEL: @exclusive_rows
// CHECK:       combine [#mdh.cc, #mdh.ps<[max]>]
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @exclusive_rows(%x: memref<5x16xf32> {llvm.noalias}, %y: memref<5x16xf32> {llvm.noalias}) {
  %start = arith.constant -1.0 : f32
  affine.for %r = 0 to 5 {
    %s = affine.for %i = 0 to 16 iter_args(%most = %start) -> f32 {
      affine.store %most, %y[%r, 15 - %i] : memref<5x16xf32>
      %a = affine.load %x[%r, 15 - %i] : memref<5x16xf32>
      %t = arith.maximumf %most, %a : f32
      affine.yield %t : f32
    }
  }
  return
}
