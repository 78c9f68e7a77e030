// Loop nests that become computations: statements, carried values, windows, steps, parts, parallel loops.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 12x16 16x10 12x10 12 10 16 14 3 8x8 8x8
// RUN: %against-numpy mdh run %s --function matmul --input %t0.npy --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function matvec --input %t0.npy --input %t5.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function gemver --input %t9.npy --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function window --input %t5.npy --input %t7.npy --input %t6.npy --raise required --check
// RUN: %against-numpy mdh run %s --function reversed_order --input %t0.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function every_second --input %t5.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dot --input %t5.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input 7 --input %t5.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input 0 --input %t5.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function stencil --input 16 --input %t5.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function stencil --input 1 --input %t5.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function row --input 3 --input %t0.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function transposed --input %t8.npy --input %t9.npy --raise required --check
// RUN: %against-numpy mdh run %s --function variables --input %t8.npy --raise required --check
// RUN: %against-numpy mdh run %s --function running_maximum --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function cumsum --input %t5.npy --input %t5.npy --raise required --check
// RUN: %against-numpy mdh run %s --function cumsum_total --input %t0.npy --input %t0.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function shifted --input %t6.npy --input %t6.npy --input %t6.npy --raise required --check

// A store of a constant is the initial value of the reduction after it.
// CHECK-LABEL: @matmul
// CHECK:       mdh.hom.md_hom %{{.*}} init(%{{.*}} : f32) combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>]
// CHECK-NOT:   mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @matmul(%A: memref<12x16xf32>, %B: memref<16x10xf32>, %C: memref<12x10xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 10 {
      affine.store %zero, %C[%i, %j] : memref<12x10xf32>
      affine.for %k = 0 to 16 {
        %a = affine.load %A[%i, %k] : memref<12x16xf32>
        %b = affine.load %B[%k, %j] : memref<16x10xf32>
        %c = affine.load %C[%i, %j] : memref<12x10xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<12x10xf32>
      }
    }
  }
  return
}

// A carried value that is stored is the element itself.
// CHECK-LABEL: @matvec
// CHECK-NOT:   memref.alloc
// CHECK:       mdh.hom.md_hom %{{.*}} init(%{{.*}} : f32) combine [#mdh.cc, #mdh.pw<[add]>]
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @matvec(%A: memref<12x16xf32>, %x: memref<16xf32>, %y: memref<12xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%c12) step (%c1) {
    %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> f32 {
      %a = memref.load %A[%i, %k] : memref<12x16xf32>
      %b = memref.load %x[%k] : memref<16xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %acc, %p : f32
      scf.yield %t : f32
    }
    memref.store %s, %y[%i] : memref<12xf32>
  }
  return
}

// Several statements in one nest; an update in place, and a carried value that is used in a computation.
// CHECK-LABEL: @gemver
// CHECK:       memref.alloc() : memref<8xf32>
// CHECK-COUNT-3: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @gemver(%A: memref<8x8xf32> {llvm.noalias}, %B: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %b = arith.mulf %a, %two : f32
      affine.store %b, %A[%i, %j] : memref<8x8xf32>
    }
    %s = affine.for %j = 0 to 8 iter_args(%acc = %zero) -> f32 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %t = arith.addf %acc, %a : f32
      affine.yield %t : f32
    }
    %r = arith.mulf %s, %two : f32
    affine.store %r, %B[%i, 0] : memref<8x8xf32>
  }
  return
}

// CHECK-LABEL: @window
// CHECK:       mdh.view.inp_view %{{.*}}[#{{.*}}], %{{.*}}[#{{.*}}] : (memref<16xf32>, memref<3xf32>) -> !mdh.mda<14x3, f32, f32>
// CHECK:       return
func.func @window(%x: memref<16xf32>, %w: memref<3xf32>, %y: memref<14xf32> {llvm.noalias}) {
  affine.for %i = 0 to 14 {
    affine.for %r = 0 to 3 {
      %a = affine.load %x[%i + %r] : memref<16xf32>
      %b = affine.load %w[%r] : memref<3xf32>
      %c = affine.load %y[%i] : memref<14xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      affine.store %s, %y[%i] : memref<14xf32>
    }
  }
  return
}

// The reduction loop is outside.
// CHECK-LABEL: @reversed_order
// CHECK:       combine [#mdh.pw<[add]>, #mdh.cc]
// CHECK:       return
func.func @reversed_order(%A: memref<12x16xf32>, %y: memref<12xf32> {llvm.noalias}) {
  affine.for %k = 0 to 16 {
    affine.for %i = 0 to 12 {
      %a = affine.load %A[%i, %k] : memref<12x16xf32>
      %c = affine.load %y[%i] : memref<12xf32>
      %s = arith.addf %c, %a : f32
      affine.store %s, %y[%i] : memref<12xf32>
    }
  }
  return
}

// CHECK-LABEL: @every_second
// CHECK:       !mdh.mda<5, f32>
// CHECK:       return
func.func @every_second(%x: memref<16xf32>, %y: memref<16xf32> {llvm.noalias}) {
  affine.for %i = 3 to 12 step 2 {
    %a = affine.load %x[%i - 1] : memref<16xf32>
    affine.store %a, %y[%i] : memref<16xf32>
  }
  return
}

// CHECK-LABEL: @dot
// CHECK:       memref.load
// CHECK:       return
func.func @dot(%x: memref<16xf32>, %y: memref<16xf32>) -> f32 {
  %one = arith.constant 1.0 : f32
  %s = affine.for %i = 0 to 16 iter_args(%acc = %one) -> f32 {
    %a = affine.load %x[%i] : memref<16xf32>
    %b = affine.load %y[%i] : memref<16xf32>
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %acc, %p : f32
    affine.yield %t : f32
  }
  return %s : f32
}

// Dynamic extents: the parts of memrefs that the loop accesses.
// CHECK-LABEL: @dynamic
// CHECK:       memref.subview
// CHECK:       mdh.hom.md_hom
// CHECK:       return
func.func @dynamic(%n: index, %x: memref<?xf32>, %y: memref<?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %x[%next] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// An index from outside of the nest.
// CHECK-LABEL: @row
// CHECK:       memref.subview
// CHECK:       return
func.func @row(%r: index, %A: memref<12x16xf32>, %y: memref<16xf32> {llvm.noalias}) {
  affine.for %i = 0 to 16 {
    %a = affine.load %A[symbol(%r) + 1, %i] : memref<12x16xf32>
    affine.store %a, %y[%i] : memref<16xf32>
  }
  return
}

// CHECK-LABEL: @transposed
// CHECK:       return
func.func @transposed(%A: memref<8x8xf32>, %B: memref<8x8xf32> {llvm.noalias}) {
  scf.forall (%i, %j) in (8, 8) {
    %a = memref.load %A[%i, %j] : memref<8x8xf32>
    memref.store %a, %B[%j, %i] : memref<8x8xf32>
  }
  return
}

// CHECK-LABEL: @variables
// CHECK:       mdh.hom.index 1
// CHECK:       return
func.func @variables(%A: memref<8x8xf32>) {
  affine.parallel (%i, %j) = (1, 2) to (8, 8) step (1, 3) {
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    affine.store %f, %A[%i, %j] : memref<8x8xf32>
  }
  return
}

// CHECK-LABEL: @running_maximum
// CHECK:       combine [#mdh.pw<[max]>, #mdh.pw<[max]>]
// CHECK:       return
func.func @running_maximum(%A: memref<12x16xf32>) -> f32 {
  %low = arith.constant 0xFF800000 : f32
  %m = affine.for %i = 0 to 12 iter_args(%outer = %low) -> f32 {
    %n = affine.for %j = 0 to 16 iter_args(%inner = %outer) -> f32 {
      %a = affine.load %A[%i, %j] : memref<12x16xf32>
      %t = arith.maximumf %inner, %a : f32
      affine.yield %t : f32
    }
    affine.yield %n : f32
  }
  return %m : f32
}

// An element is read one iteration after it is written: the first loop may be executed completely before the second.
// CHECK-LABEL: @shifted
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @shifted(%x: memref<14xf32>, %y: memref<14xf32> {llvm.noalias}, %z: memref<14xf32> {llvm.noalias}) {
  affine.for %i = 1 to 14 {
    %a = affine.load %x[%i] : memref<14xf32>
    affine.store %a, %y[%i] : memref<14xf32>
    %b = affine.load %y[%i - 1] : memref<14xf32>
    affine.store %b, %z[%i] : memref<14xf32>
  }
  return
}

// A carried value that is stored in each iteration is a scan.
// CHECK-LABEL: @cumsum
// CHECK-NOT:   memref.alloc
// CHECK:       mdh.hom.md_hom %{{.*}} init(%{{.*}} : f32) combine [#mdh.ps<[add]>]
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @cumsum(%x: memref<16xf32>, %y: memref<16xf32> {llvm.noalias}) {
  %zero = arith.constant 0.5 : f32
  %s = affine.for %i = 0 to 16 iter_args(%acc = %zero) -> f32 {
    %a = affine.load %x[%i] : memref<16xf32>
    %t = arith.addf %acc, %a : f32
    affine.store %t, %y[%i] : memref<16xf32>
    affine.yield %t : f32
  }
  return
}

// CHECK-LABEL: @cumsum_total
// CHECK-DAG:   combine [#mdh.cc, #mdh.ps<[add]>]
// CHECK-DAG:   combine [#mdh.cc, #mdh.pw<[add]>]
// CHECK:       return
func.func @cumsum_total(%x: memref<12x16xf32>, %y: memref<12x16xf32> {llvm.noalias}, %z: memref<12xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  affine.for %r = 0 to 12 {
    %s = affine.for %i = 0 to 16 iter_args(%acc = %zero) -> f32 {
      %a = affine.load %x[%r, %i] : memref<12x16xf32>
      %b = arith.mulf %a, %a : f32
      %t = arith.addf %acc, %b : f32
      affine.store %t, %y[%r, %i] : memref<12x16xf32>
      affine.yield %t : f32
    }
    affine.store %s, %z[%r] : memref<12xf32>
  }
  return
}

// Reads that differ in constants only have one part in common, whose size is no extent.
// CHECK-LABEL: @stencil
// CHECK:       %[[TWO:.*]] = arith.constant 2 : index
// CHECK:       %[[MORE:.*]] = arith.addi %{{.*}}, %[[TWO]] : index
// CHECK:       %[[PART:.*]] = memref.subview %arg1[%{{.*}}] [%[[MORE]]] [1] {mdh.part = "affine.load"}
// CHECK:       mdh.view.inp_view %[[PART]][#{{.*}}, #{{.*}}, #{{.*}}] extents(
// CHECK-NOT:   affine.for
// CHECK:       return
func.func @stencil(%n: index, %x: memref<?xf32>, %y: memref<?xf32> {llvm.noalias}) {
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    %a = affine.load %x[%i - 1] : memref<?xf32>
    %b = affine.load %x[%i] : memref<?xf32>
    %c = affine.load %x[%i + 1] : memref<?xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    affine.store %e, %y[%i] : memref<?xf32>
  }
  return
}
