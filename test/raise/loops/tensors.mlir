// Loops that read elements of tensors and insert elements into tensors that they carry.
// RUN: mdh-opt %s --mdh-raise="required=true" | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 1 16 16 5x16
// RUN: %against-numpy mdh run %s --function running_sum --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function exclusive --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function last_value --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function part --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function previous_element --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function in_place --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function one_after_the_other --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function two_tensors --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function same_initial_tensor --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function row_sums --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function old_value --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function counted --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function limited --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function other_counter --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function last_counter --input -3 --check
// RUN: %against-numpy mdh run %s --function last_counter --input 7 --check
// RUN: %against-numpy mdh run %s --function until --input %t1.npy --input 5 --check
// RUN: %against-numpy mdh run %s --function until --input %t1.npy --input -5 --check
// RUN: %against-numpy mdh run %s --function only_element --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function not_all --input %t1.npy --raise required --check
// RUN: %against-numpy mdh run %s --function not_all_rows --input %t3.npy --raise required --check

// CHECK-LABEL: @running_sum
// CHECK:       %[[X:.*]] = mdh.view.inp_view %{{.*}}[#{{.*}}] : (tensor<16xf32>) -> !mdh.mda<16, f32>
// CHECK:       mdh.hom.md_hom %[[X]] init(%{{.*}} : f32) combine [#mdh.ps<[add]>]
// CHECK:       mdh.view.out_view %{{[^ ]*}} : !mdh.mda<16, f32> -> tensor<16xf32>
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @running_sum(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %start = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %start, %y = %empty) -> (f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %y[%i] : tensor<16xf32>
    scf.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}

// CHECK-LABEL: @exclusive
// CHECK:       combine [#mdh.ps<[max]>]
// CHECK:       return
func.func @exclusive(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %start = arith.constant 0.5 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %start, %y = %empty) -> (f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.maximumf %c, %v : f32
    %n = tensor.insert %c into %y[%i] : tensor<16xf32>
    scf.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}

// The value that is carried out of the loop, too.
// CHECK-LABEL: @last_value
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       combine [#mdh.pw<[add]>]
// CHECK:       return
func.func @last_value(%x: tensor<16xf32>) -> (f32, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %start = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %start, %y = %empty) -> (f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %y[%i] : tensor<16xf32>
    scf.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#0, %r#1 : f32, tensor<16xf32>
}

// The other elements of the tensor keep their values.
// CHECK-LABEL: @part
// CHECK:       mdh.view.out_view %{{.*}} into %{{.*}} : !mdh.mda<4, f32>, tensor<16xf32> -> tensor<16xf32>
// CHECK:       return
func.func @part(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c13 = arith.constant 13 : index
  %r = scf.for %i = %c2 to %c13 step %c3 iter_args(%t = %y) -> (tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %n = tensor.insert %v into %t[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// CHECK-LABEL: @previous_element
// CHECK:       init(%{{.*}} : !mdh.mda<1, f32>) combine [#mdh.ps<[add]>]
// CHECK:       return
func.func @previous_element(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c1 to %c16 step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %p = arith.subi %i, %c1 : index
    %a = tensor.extract %t[%p] : tensor<16xf32>
    %b = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.addf %a, %b : f32
    %n = tensor.insert %s into %t[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// CHECK-LABEL: @in_place
// CHECK:       combine [#mdh.cc]
// CHECK:       return
func.func @in_place(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %a = tensor.extract %t[%i] : tensor<16xf32>
    %s = arith.mulf %a, %a : f32
    %n = tensor.insert %s into %t[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// The second statement reads what the first one writes.
// CHECK-LABEL: @one_after_the_other
// CHECK-COUNT-2: combine [#mdh.cc]
// CHECK:       return
func.func @one_after_the_other(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r:2 = scf.for %i = %c1 to %c16 step %c1 iter_args(%t = %x, %u = %x) -> (tensor<16xf32>, tensor<16xf32>) {
    %a = tensor.extract %x[%i] : tensor<16xf32>
    %d = arith.addf %a, %a : f32
    %n = tensor.insert %d into %t[%i] : tensor<16xf32>
    %p = arith.subi %i, %c1 : index
    %b = tensor.extract %n[%p] : tensor<16xf32>
    %m = tensor.insert %b into %u[%i] : tensor<16xf32>
    scf.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @two_tensors
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK:       combine [#mdh.cc]
// CHECK:       return
func.func @two_tensors(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %start = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<16xi32>
  %r:3 = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %f, %c = %start, %y = %e) -> (tensor<16xi32>, f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %y[%i] : tensor<16xf32>
    %j = arith.index_cast %i : index to i32
    %m = tensor.insert %j into %t[%i] : tensor<16xi32>
    scf.yield %m, %s, %n : tensor<16xi32>, f32, tensor<16xf32>
  }
  return %r#2, %r#0 : tensor<16xf32>, tensor<16xi32>
}

// Both tensors begin as the same one, and have other values afterwards.
// CHECK-LABEL: @same_initial_tensor
// CHECK-COUNT-2: mdh.view.out_view %{{.*}} into
// CHECK:       return
func.func @same_initial_tensor(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %x, %u = %x) -> (tensor<16xf32>, tensor<16xf32>) {
    %a = tensor.extract %t[%i] : tensor<16xf32>
    %b = tensor.extract %u[%i] : tensor<16xf32>
    %s = arith.addf %a, %b : f32
    %p = arith.mulf %b, %b : f32
    %n = tensor.insert %s into %t[%i] : tensor<16xf32>
    %m = tensor.insert %p into %u[%i] : tensor<16xf32>
    scf.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @row_sums
// CHECK:       combine [#mdh.cc, #mdh.pw<[add]>]
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @row_sums(%x: tensor<5x16xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %e) -> (tensor<5xf32>) {
    %z = tensor.insert %zero into %t[%i] : tensor<5xf32>
    %w = scf.for %k = %c0 to %c16 step %c1 iter_args(%u = %z) -> (tensor<5xf32>) {
      %a = tensor.extract %x[%i, %k] : tensor<5x16xf32>
      %b = tensor.extract %u[%i] : tensor<5xf32>
      %s = arith.addf %b, %a : f32
      %n = tensor.insert %s into %u[%i] : tensor<5xf32>
      scf.yield %n : tensor<5xf32>
    }
    scf.yield %w : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// The tensor from before the loop keeps its value.
// CHECK-LABEL: @old_value
// CHECK:       combine [#mdh.cc]
// CHECK:       return
func.func @old_value(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c1 to %c16 step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %p = arith.subi %i, %c1 : index
    %a = tensor.extract %x[%p] : tensor<16xf32>
    %n = tensor.insert %a into %t[%i] : tensor<16xf32>
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// CHECK-LABEL: @counted
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK-NOT:   scf.
// CHECK:       return
func.func @counted(%x: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<16xf32>
  %r:3 = scf.while (%i = %c0, %c = %zero, %t = %e) : (i64, f32, tensor<16xf32>) -> (i64, f32, tensor<16xf32>) {
    %n = arith.constant 16 : i64
    %m = arith.cmpi sgt, %n, %i : i64
    scf.condition(%m) %i, %c, %t : i64, f32, tensor<16xf32>
  } do {
  ^bb0(%i: i64, %c: f32, %t: tensor<16xf32>):
    %j = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%j] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %t[%j] : tensor<16xf32>
    %k = arith.addi %one, %i : i64
    scf.yield %k, %s, %n : i64, f32, tensor<16xf32>
  }
  return %r#2 : tensor<16xf32>
}

// Indices from the last one to the first one, which are limited to the size, in integers of 32 bits.
// CHECK-LABEL: @limited
// CHECK:       combine [#mdh.ps<[add]>]
// CHECK-NOT:   scf.
// CHECK:       return
func.func @limited(%x: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %last = arith.constant 15 : i32
  %size = arith.constant 16 : i32
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %zero, %t = %e) -> (f32, tensor<16xf32>) {
    %k = arith.index_cast %i : index to i32
    %d = arith.subi %last, %k : i32
    %is_negative = arith.cmpi slt, %d, %none : i32
    %sum = arith.addi %d, %size : i32
    %at = arith.select %is_negative, %sum, %d : i32
    %a = arith.index_cast %at : i32 to index
    %b = arith.maxsi %a, %c0 : index
    %j = arith.minsi %b, %c15 : index
    %v = tensor.extract %x[%j] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %t[%j] : tensor<16xf32>
    scf.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}

// A second counter starts with another number.
// CHECK-LABEL: @other_counter
// CHECK:       combine [#mdh.cc]
// CHECK-NOT:   scf.
// CHECK:       return
func.func @other_counter(%x: tensor<16xf32>) -> (i32, tensor<16xf32>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r:3 = scf.while (%i = %c0, %k = %c3, %t = %x) : (i32, i32, tensor<16xf32>) -> (i32, i32, tensor<16xf32>) {
    %n = arith.constant 9 : i32
    %m = arith.cmpi slt, %i, %n : i32
    scf.condition(%m) %i, %k, %t : i32, i32, tensor<16xf32>
  } do {
  ^bb0(%i: i32, %k: i32, %t: tensor<16xf32>):
    %a = arith.index_cast %i : i32 to index
    %b = arith.index_cast %k : i32 to index
    %v = tensor.extract %x[%a] : tensor<16xf32>
    %n = tensor.insert %v into %t[%b] : tensor<16xf32>
    %j = arith.addi %i, %one : i32
    %l = arith.addi %k, %one : i32
    scf.yield %j, %l, %n : i32, i32, tensor<16xf32>
  }
  return %r#1, %r#2 : i32, tensor<16xf32>
}

// The counter after the loop, which may not run.
// CHECK-LABEL: @last_counter
// CHECK:       arith.maxsi
// CHECK:       return
func.func @last_counter(%n: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r:3 = scf.while (%i = %c0, %k = %c3, %b = %n) : (i32, i32, i32) -> (i32, i32, i32) {
    %m = arith.cmpi slt, %i, %b : i32
    scf.condition(%m) %i, %k, %b : i32, i32, i32
  } do {
  ^bb0(%i: i32, %k: i32, %b: i32):
    %j = arith.addi %i, %one : i32
    %l = arith.addi %k, %one : i32
    scf.yield %j, %l, %b : i32, i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// A loop that cannot be raised is a counted one, too.
// CHECK-LABEL: @until
// CHECK:       scf.for
// CHECK:       return
func.func @until(%x: tensor<16xf32>, %n: i32) -> tensor<f32> {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %c0, %c = %zero) : (i32, f32) -> (i32, f32) {
    %m = arith.cmpi slt, %i, %n : i32
    scf.condition(%m) %i, %c : i32, f32
  } do {
  ^bb0(%i: i32, %c: f32):
    %j = arith.addi %i, %one : i32
    %h = arith.mulf %c, %half : f32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %h, %f : f32
    scf.yield %j, %s : i32, f32
  }
  %t = tensor.from_elements %r#1 : tensor<f32>
  return %t : tensor<f32>
}

// A tensor of one element is a scalar in a loop.
// CHECK-LABEL: @only_element
// CHECK:       scf.for
// CHECK-NOT:   linalg.generic
// CHECK-NOT:   mdh.hom.md_hom
// CHECK:       return
func.func @only_element(%x: tensor<1xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %x) -> (tensor<1xf32>) {
    %e = tensor.empty() : tensor<1xf32>
    %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<1xf32>) outs(%e : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %j = linalg.index 0 : index
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %g = arith.addf %a, %f : f32
      %s = math.exp %g : f32
      %d = arith.divf %g, %s : f32
      linalg.yield %d : f32
    } -> tensor<1xf32>
    scf.yield %h : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}

// A scan of all but the last element: that keeps its value.
func.func @not_all(%x: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r:2 = affine.for %i = 0 to 15 iter_args(%c = %zero, %t = %x) -> (f32, tensor<16xf32>) {
    %v = tensor.extract %x[%i] : tensor<16xf32>
    %s = arith.addf %c, %v : f32
    %n = tensor.insert %s into %t[%i] : tensor<16xf32>
    affine.yield %s, %n : f32, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}

// Sums of rows begin with a number; the last row has none.
func.func @not_all_rows(%x: tensor<5x16xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = affine.for %i = 0 to 4 iter_args(%t = %f) -> (tensor<5xf32>) {
    %t1 = tensor.insert %zero into %t[%i] : tensor<5xf32>
    %t2 = affine.for %k = 0 to 16 iter_args(%u = %t1) -> (tensor<5xf32>) {
      %v = tensor.extract %x[%i, %k] : tensor<5x16xf32>
      %c = tensor.extract %u[%i] : tensor<5xf32>
      %s = arith.addf %c, %v : f32
      %n = tensor.insert %s into %u[%i] : tensor<5xf32>
      affine.yield %n : tensor<5xf32>
    }
    affine.yield %t2 : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
