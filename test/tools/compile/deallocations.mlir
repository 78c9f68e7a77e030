// Memory that is passed between functions, loops and branches is freed once, whether the program deallocates it or not.
// REQUIRES: omp
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh compile %s --emit header --output %t/deallocations.h
// RUN: mdh compile %s --emit object --sanitize address --output %t/deallocations.o
// RUN: clang -std=c11 -Wall -Wextra -Werror -fsanitize=address -I%t %S/Inputs/deallocations.c %t/deallocations.o -Wl,--wrap=malloc,--wrap=free -lomp -o %t/program
// RUN: %t/program 2>&1 | FileCheck %s
// CHECK: freed: 1, 0 buffers are left
// CHECK: kept: 1, 0 buffers are left
// CHECK: cast: 1, 0 buffers are left
// CHECK: consumed: 3, 0 buffers are left
// CHECK: carried: 5, 0 buffers are left
// CHECK: chosen: 2, 0 buffers are left
// CHECK: own: 6, 0 buffers are left

func.func @make(%n: index, %x: f32) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %m[%c0] : memref<?xf32>
  return %m : memref<?xf32>
}

// Its callers free the memory.
func.func private @consume(%m: memref<?xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<?xf32>
  memref.store %x, %out[%c0] : memref<1xf32>
  memref.dealloc %m : memref<?xf32>
  return
}

func.func private @first(%m: memref<?xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<?xf32>
  memref.store %x, %out[%c0] : memref<1xf32>
  return
}

func.func @freed(%out: memref<1xf32>) {
  %n = arith.constant 4 : index
  %x = arith.constant 1.0 : f32
  %m = call @make(%n, %x) : (index, f32) -> memref<?xf32>
  call @first(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  memref.dealloc %m : memref<?xf32>
  return
}

func.func @kept(%out: memref<1xf32>) {
  %n = arith.constant 4 : index
  %x = arith.constant 1.0 : f32
  %m = call @make(%n, %x) : (index, f32) -> memref<?xf32>
  call @first(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  return
}

func.func @cast(%out: memref<1xf32>) {
  %n = arith.constant 4 : index
  %x = arith.constant 1.0 : f32
  %m = call @make(%n, %x) : (index, f32) -> memref<?xf32>
  call @first(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  %c = memref.cast %m : memref<?xf32> to memref<4xf32>
  memref.dealloc %c : memref<4xf32>
  return
}

func.func @consumed(%out: memref<1xf32>) {
  %n = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %x = arith.constant 3.0 : f32
  %m = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %m[%c0] : memref<?xf32>
  call @consume(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  return
}

func.func @carried(%out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %start = call @make(%c4, %one) : (index, f32) -> memref<?xf32>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %start) -> memref<?xf32> {
    %x = memref.load %m[%c0] : memref<?xf32>
    %y = arith.addf %x, %one : f32
    %next = memref.alloc(%c4) : memref<?xf32>
    memref.store %y, %next[%c0] : memref<?xf32>
    memref.dealloc %m : memref<?xf32>
    scf.yield %next : memref<?xf32>
  }
  call @first(%end, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  memref.dealloc %end : memref<?xf32>
  return
}

func.func @chosen(%out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f32
  %old = memref.load %out[%c0] : memref<1xf32>
  %is = arith.cmpf ogt, %old, %two : f32
  %m = scf.if %is -> memref<?xf32> {
    %a = memref.alloc(%c4) : memref<?xf32>
    memref.store %two, %a[%c0] : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %a = func.call @make(%c4, %old) : (index, f32) -> memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  call @first(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  memref.dealloc %m : memref<?xf32>
  return
}

func.func @own(%out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %six = arith.constant 6.0 : f32
  %m = memref.alloc(%c4) : memref<?xf32>
  memref.store %six, %m[%c0] : memref<?xf32>
  call @first(%m, %out) : (memref<?xf32>, memref<1xf32>) -> ()
  memref.dealloc %m : memref<?xf32>
  return
}
