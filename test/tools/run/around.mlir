// Constants, slices, loops, branches, calls and memory around computations: compiled code and the reference evaluator agree.
// RUN: mdh run %s --function tensors --input 1 --input 3 --check | FileCheck %s
// RUN: mdh run %s --function tensors --input 1 --input 0 --check --threads 1 | FileCheck %s
// RUN: mdh run %s --function memory --input 2 --check | FileCheck %s
// RUN: not mdh run %s --function memory --input 9 --check 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not mdh run %s --function unknown --input 1 --check 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// A sum of -0.0 is -0.0, also that of none, on both engines.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mdh run %s --function zeros --input 0 --output %t/none.npy
// RUN: mdh run %s --function zeros --input 0 --output %t/none_expected.npy --engine reference
// RUN: mdh run %s --function zeros --input 100 --output %t/some.npy
// RUN: mdh run %s --function zeros --input 100 --output %t/some_expected.npy --engine reference
// RUN: cmp %t/none.npy %t/none_expected.npy && cmp %t/some.npy %t/some_expected.npy && cmp %t/none.npy %t/some.npy
// RUN: od -A n -t x1 -j 128 %t/none.npy | FileCheck %s --check-prefix=ZERO --match-full-lines
// ZERO: {{ *}}00 00 00 80{{ *}}
// CHECK: agrees with the reference evaluator
// OUTSIDE: around.mlir:{{[0-9]+}}:11: error: dimension 1 has indices 0 to 3, accessed are 9 to 9
// UNKNOWN: around.mlir:{{[0-9]+}}:8: error: the reference evaluator requires linear index functions

#i = affine_map<(i) -> (i)>
#row = affine_map<(i, k) -> (i)>
#matrix = affine_map<(i, k) -> (i, k)>
#column = affine_map<(i, k) -> (k)>

// A matrix applied to a vector.
func.func private @apply(%m: tensor<4x4xf32>, %x: tensor<?xf32>) -> tensor<4xf32> {
  %v = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %in = mdh.view.inp_view %m[#matrix], %v[#column] : (tensor<4x4xf32>, tensor<4xf32>) -> !mdh.mda<4x4, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4x4, f32, f32> -> !mdh.mda<4x1, f32>
  %out = mdh.view.out_view %res[#row] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %out : tensor<4xf32>
}

// Powers of a matrix, applied to the middle of a longer vector.
func.func @tensors(%m: tensor<4x4xf32>, %count: index) -> (tensor<4xf32>, f32, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %half = arith.constant dense<0.5> : tensor<4x4xf32>
  %long = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32>
  %middle = tensor.extract_slice %long[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %power = scf.for %i = %zero to %count step %one iter_args(%x = %middle) -> (tensor<4xf32>) {
    %is_first = arith.cmpi eq, %i, %zero : index
    %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
    %next = scf.if %is_first -> (tensor<4xf32>) {
      %z = func.call @apply(%half, %y) : (tensor<4x4xf32>, tensor<?xf32>) -> tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    } else {
      %z = func.call @apply(%m, %y) : (tensor<4x4xf32>, tensor<?xf32>) -> tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    scf.yield %next : tensor<4xf32>
  }
  %e = tensor.extract %power[%one] : tensor<4xf32>
  %result = tensor.insert %e into %power[%zero] : tensor<4xf32>
  %size = tensor.dim %result, %zero : tensor<4xf32>
  return %result, %e, %size : tensor<4xf32>, f32, index
}

memref.global "private" constant @weights : memref<4xi32> = dense<[10, 20, 30, 40]>

// Doubles the weights from a row of a matrix on, which is filled before.
func.func @memory(%row: index) -> (memref<4x4xi32>, i32) {
  %seven = arith.constant 7 : i32
  %all = memref.alloc() : memref<4x4xi32>
  linalg.fill ins(%seven : i32) outs(%all : memref<4x4xi32>)
  %weights = memref.get_global @weights : memref<4xi32>
  %copy = memref.alloc() : memref<4xi32>
  memref.copy %weights, %copy : memref<4xi32> to memref<4xi32>
  %one = arith.constant 1 : index
  memref.store %seven, %copy[%one] : memref<4xi32>
  %part = memref.subview %all[%row, 0] [1, 4] [1, 1] : memref<4x4xi32> to memref<4xi32, strided<[1], offset: ?>>
  %in = mdh.view.inp_view %copy[#i] : (memref<4xi32>) -> !mdh.mda<4, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32):
    %b = arith.addi %a, %a : i32
    mdh.hom.yield %b : i32
  } : !mdh.mda<4, i32> -> !mdh.mda<4, i32>
  mdh.view.out_view %res[#i] into %part : !mdh.mda<4, i32>, memref<4xi32, strided<[1], offset: ?>>
  memref.dealloc %copy : memref<4xi32>
  %e = memref.load %all[%row, %one] : memref<4x4xi32>
  return %all, %e : memref<4x4xi32>, i32
}

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, #i], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @zeros(%count: index) -> tensor<f32> {
  %zero = arith.constant -0.0 : f32
  %empty = tensor.empty(%count) : tensor<?xf32>
  %x = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %in = mdh.view.inp_view %x[#i] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %sum = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  %out = mdh.view.out_view %sum[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %out : tensor<f32>
}
