// Loops on tensors whose bounds and indices have values from outside of the loops access parts of the tensors.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 7x11 11x5 7x5 16 9 9x16
// RUN: %against-numpy mdh run %s --function product --input %t0.npy --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function from_zero --input %t0.npy --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function window --input 7 --input 2 --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function window --input 0 --input 100 --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function one_after_the_other --input 5 --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function old_value --input 8 --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function previous_element --input 9 --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function previous_element --input 0 --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function row --input 3 --input %t5.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function largest --input %t5.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function first_twice --input %t5.npy --input %t4.npy --raise required --check

// The sizes of the first matrix are the extents; the others may be larger. The caller's tensor keeps its elements.
// CHECK-LABEL: @product
// CHECK-SAME:    (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[C]]) : tensor<?x?xf32>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[COPY]][{{.*}}] [%[[M:.*]], %[[N:.*]]] [1, 1] {mdh.part = "tensor.insert"}
// CHECK:         mdh.view.inp_view %[[A]][{{.*}}], %
// CHECK:         %[[NEW:.*]] = mdh.view.out_view {{.*}} into %[[PART]] :
// CHECK:         tensor.insert_slice %[[NEW]] into %[[COPY]][{{.*}}] [%[[M]], %[[N]]] [1, 1]
// CHECK-NOT:     affine.for
func.func @product(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %B, %c1 : tensor<?x?xf32>
  %k = tensor.dim %A, %c1 : tensor<?x?xf32>
  %r = affine.for %i = 0 to %m iter_args(%t0 = %C) -> (tensor<?x?xf32>) {
    %r1 = affine.for %j = 0 to %n iter_args(%t1 = %t0) -> (tensor<?x?xf32>) {
      %r2 = affine.for %l = 0 to %k iter_args(%t2 = %t1) -> (tensor<?x?xf32>) {
        %a = tensor.extract %A[%i, %l] : tensor<?x?xf32>
        %b = tensor.extract %B[%l, %j] : tensor<?x?xf32>
        %c = tensor.extract %t2[%i, %j] : tensor<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        %u = tensor.insert %s into %t2[%i, %j] : tensor<?x?xf32>
        affine.yield %u : tensor<?x?xf32>
      }
      affine.yield %r2 : tensor<?x?xf32>
    }
    affine.yield %r1 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// A new tensor of these sizes needs no part.
// CHECK-LABEL: @from_zero
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return
func.func @from_zero(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %B, %c1 : tensor<?x?xf32>
  %k = tensor.dim %A, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m2 = tensor.dim %f, %c0 : tensor<?x?xf32>
  %n2 = tensor.dim %f, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m2 step %c1 iter_args(%t0 = %f) -> (tensor<?x?xf32>) {
    %r1 = scf.for %j = %c0 to %n2 step %c1 iter_args(%t1 = %t0) -> (tensor<?x?xf32>) {
      %s = scf.for %l = %c0 to %k step %c1 iter_args(%sum = %zero) -> (f32) {
        %a = tensor.extract %A[%i, %l] : tensor<?x?xf32>
        %b = tensor.extract %B[%l, %j] : tensor<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %p : f32
        scf.yield %next : f32
      }
      %u = tensor.insert %s into %t1[%i, %j] : tensor<?x?xf32>
      scf.yield %u : tensor<?x?xf32>
    }
    scf.yield %r1 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// Offsets and numbers of iterations are values; an offset of no iterations may be anywhere.
func.func @window(%n: index, %k: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %y) -> (tensor<?xf32>) {
    %j = arith.addi %i, %k : index
    %a = tensor.extract %x[%j] : tensor<?xf32>
    %b = tensor.extract %t[%j] : tensor<?xf32>
    %s = arith.addf %a, %b : f32
    %u = tensor.insert %s into %t[%j] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The second statement reads what the first one has written, in tensors of static sizes.
func.func @one_after_the_other(%n: index, %x: tensor<16xf32>, %y: tensor<9xf32>) -> (tensor<16xf32>, tensor<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %u = %y) -> (tensor<16xf32>, tensor<9xf32>) {
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %t[%j] : tensor<16xf32>
    %s = arith.addf %a, %a : f32
    %t1 = tensor.insert %s into %t[%j] : tensor<16xf32>
    %b = tensor.extract %t1[%j] : tensor<16xf32>
    %u1 = tensor.insert %b into %u[%i] : tensor<9xf32>
    scf.yield %t1, %u1 : tensor<16xf32>, tensor<9xf32>
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<9xf32>
}

// Elements of the tensor from before the loop keep their values.
func.func @old_value(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?xf32>) {
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %x[%i] : tensor<?xf32>
    %u = tensor.insert %a into %t[%j] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A scan whose carry is the element before the first one exists only if there is an iteration.
// CHECK-LABEL: @previous_element
// CHECK:         %[[R:.*]] = scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK:           combine [#mdh.ps
// CHECK:           tensor.insert_slice
// CHECK:         } else {
// CHECK:         return %[[R]]
func.func @previous_element(%n: index, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%t = %y) -> (tensor<?xf32>) {
    %j = arith.subi %i, %c1 : index
    %a = tensor.extract %t[%j] : tensor<?xf32>
    %b = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %a, %b : f32
    %u = tensor.insert %s into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// An index from outside of the loops, in tensors of static sizes.
func.func @row(%r: index, %A: tensor<9x16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c1 = arith.constant 1 : index
  %k = arith.addi %r, %c1 : index
  %result = affine.for %i = 0 to 16 iter_args(%t = %y) -> (tensor<16xf32>) {
    %a = tensor.extract %A[%k, %i] : tensor<9x16xf32>
    %u = tensor.insert %a into %t[%i] : tensor<16xf32>
    affine.yield %u : tensor<16xf32>
  }
  return %result : tensor<16xf32>
}

// Maxima and their positions, which depend on each other, in two tensors.
func.func @largest(%A: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %A, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xindex>
  %r:2 = scf.for %i = %c0 to %m step %c1 iter_args(%t = %y, %u = %e) -> (tensor<?xf32>, tensor<?xindex>) {
    %best:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %least, %p = %c0) -> (f32, index) {
      %a = tensor.extract %A[%i, %j] : tensor<?x?xf32>
      %more = arith.cmpf ogt, %a, %v : f32
      %w = arith.select %more, %a, %v : f32
      %q = arith.select %more, %j, %p : index
      scf.yield %w, %q : f32, index
    }
    %t1 = tensor.insert %best#0 into %t[%i] : tensor<?xf32>
    %u1 = tensor.insert %best#1 into %u[%i] : tensor<?xindex>
    scf.yield %t1, %u1 : tensor<?xf32>, tensor<?xindex>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xindex>
}

// The first element of each row, then the sum of the row added to it.
func.func @first_twice(%A: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf32>
  %n = tensor.dim %A, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%t = %y) -> (tensor<?xf32>) {
    %first = tensor.extract %A[%i, %c0] : tensor<?x?xf32>
    %t1 = tensor.insert %first into %t[%i] : tensor<?xf32>
    %t2 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %t1) -> (tensor<?xf32>) {
      %a = tensor.extract %A[%i, %j] : tensor<?x?xf32>
      %s = tensor.extract %u[%i] : tensor<?xf32>
      %sum = arith.addf %s, %a : f32
      %v = tensor.insert %sum into %u[%i] : tensor<?xf32>
      scf.yield %v : tensor<?xf32>
    }
    scf.yield %t2 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
