// Operations on memrefs, in place, of parts of memrefs, and with dynamic sizes.
// RUN: mdh-opt %s --mdh-raise=required=true | FileCheck %s
// RUN: %python %S/../Inputs/arrays.py %t 5x6 6x7 5x7 9 9 8x9 5x7x3
// RUN: %against-numpy mdh run %s --function matmul --input %t0.npy --input %t1.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function in_place --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function updated --input %t3.npy --input %t4.npy --raise required --check
// RUN: %against-numpy mdh run %s --function filled --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function part --input %t5.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t5.npy --input %t3.npy --raise required --check
// RUN: %against-numpy mdh run %s --function transposed --input %t0.npy --input 2 --raise required --check
// RUN: %against-numpy mdh run %s --function allocated --input %t0.npy --raise required --check
// RUN: %against-numpy mdh run %s --function two_outputs --input %t6.npy --input %t2.npy --input %t2.npy --raise required --check
// RUN: %against-numpy mdh run %s --function accumulated --input %t2.npy --input %t2.npy --raise required --check

#id = affine_map<(i) -> (i)>
#rows = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @matmul
// CHECK: mdh.hom.md_hom
func.func @matmul(%a: memref<5x6xf32>, %b: memref<6x7xf32>, %c: memref<5x7xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<5x7xf32>)
  linalg.matmul ins(%a, %b : memref<5x6xf32>, memref<6x7xf32>) outs(%c : memref<5x7xf32>)
  return
}

// CHECK-LABEL: @in_place
func.func @in_place(%x: memref<9xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<9xf32>) {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @updated
func.func @updated(%x: memref<9xf32>, %y: memref<9xf32> {llvm.noalias}) {
  %two = arith.constant 2.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<9xf32>) outs(%y : memref<9xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %two : f32
    %s = arith.subf %b, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @filled
func.func @filled(%x: memref<9xf32>) {
  %value = arith.constant 2.5 : f32
  linalg.fill ins(%value : f32) outs(%x : memref<9xf32>)
  return
}

// A part of a matrix, every second column.
// CHECK-LABEL: @part
func.func @part(%x: memref<8x9xf32> {llvm.noalias}, %y: memref<5x7xf32> {llvm.noalias}) {
  %a = memref.subview %x[1, 0] [4, 4] [1, 2] : memref<8x9xf32> to memref<4x4xf32, strided<[9, 2], offset: 9>>
  %b = memref.subview %y[1, 3] [4, 4] [1, 1] : memref<5x7xf32> to memref<4x4xf32, strided<[7, 1], offset: 10>>
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x4xf32, strided<[9, 2], offset: 9>>) outs(%b : memref<4x4xf32, strided<[7, 1], offset: 10>>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %v : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @dynamic
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?xf32> {llvm.noalias}) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %v, %o : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @transposed
func.func @transposed(%x: memref<5x6xf32>, %y: memref<6x5xf32> {llvm.noalias}) {
  linalg.transpose ins(%x : memref<5x6xf32>) outs(%y : memref<6x5xf32>) permutation = [1, 0]
  return
}

// An intermediate result in memory that the function allocates.
// CHECK-LABEL: @allocated
func.func @allocated(%x: memref<5x6xf32>) -> memref<5xf32> {
  %zero = arith.constant 0.0 : f32
  %squares = memref.alloc() : memref<5x6xf32>
  linalg.mul ins(%x, %x : memref<5x6xf32>, memref<5x6xf32>) outs(%squares : memref<5x6xf32>)
  %r = memref.alloc() : memref<5xf32>
  linalg.fill ins(%zero : f32) outs(%r : memref<5xf32>)
  linalg.reduce { arith.addf } ins(%squares : memref<5x6xf32>) outs(%r : memref<5xf32>) dimensions = [1]
  memref.dealloc %squares : memref<5x6xf32>
  return %r : memref<5xf32>
}

// CHECK-LABEL: @two_outputs
func.func @two_outputs(%x: memref<5x7x3xf32>, %s: memref<5x7xf32> {llvm.noalias}, %m: memref<5x7xf32> {llvm.noalias}) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<5x7x3xf32>) outs(%s, %m : memref<5x7xf32>, memref<5x7xf32>) {
  ^bb0(%v: f32, %a: f32, %b: f32):
    %p = arith.addf %a, %v : f32
    %q = arith.minimumf %b, %v : f32
    linalg.yield %p, %q : f32, f32
  }
  return
}

// The right operand is read before it is written.
// CHECK-LABEL: @accumulated
func.func @accumulated(%x: memref<5x7xf32> {llvm.noalias}, %y: memref<5x7xf32> {llvm.noalias}) {
  linalg.add ins(%x, %y : memref<5x7xf32>, memref<5x7xf32>) outs(%y : memref<5x7xf32>)
  return
}
