// A program that could access the outside is rejected with a location; a computation and the code that it needs are accepted.

// RUN: split-file %s %t
// RUN: mdh run %t/computes.mlir --isolated --input 2 --check | FileCheck %s --check-prefix=COMPUTES
// COMPUTES: agrees with the reference evaluator
// RUN: mdh run %examples/compute_matvec.mlir --isolated --function compute_matvec_small --input 1 --input 1 --check | FileCheck %s --check-prefix=COMPUTES

// RUN: not mdh run %t/declared.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: declared.mlir:1:1: error: --isolated refuses the function @system, which is external: it has no body
// RUN: not mdh run %t/assembly.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=ASSEMBLY
// ASSEMBLY: assembly.mlir:2:3: error: --isolated refuses 'llvm.inline_asm', which may access memory or functions outside of the program
// RUN: not mdh run %t/pointer.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=POINTER
// POINTER: pointer.mlir:2:8: error: --isolated refuses 'memref.extract_aligned_pointer_as_index'
// RUN: not mdh run %t/forged.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=FORGED
// FORGED: forged.mlir:3:8: error: --isolated refuses 'memref.reinterpret_cast'
// RUN: not mdh run %t/cast.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: cast.mlir:2:8: error: --isolated refuses 'builtin.unrealized_conversion_cast'
// RUN: not mdh run %t/indirect.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=INDIRECT
// INDIRECT: indirect.mlir:5:8: error: --isolated refuses 'func.constant'
// RUN: not mdh run %t/global.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: global.mlir:1:1: error: --isolated refuses the buffer @environ, which is external: it has no value
// RUN: not mdh run %t/freed.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: freed.mlir:2:3: error: --isolated refuses 'memref.dealloc'
// RUN: not mdh run %t/attribute.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: attribute.mlir:1:1: error: --isolated refuses the attribute 'passthrough', which the compiler would trust without a check
// RUN: not mdh run %t/argument.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: argument.mlir:1:1: error: --isolated refuses the attribute 'llvm.noalias', which the compiler would trust without a check
// RUN: not mdh run %t/stack.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: stack.mlir:2:8: error: --isolated refuses 'memref.alloca'
// RUN: not mdh run %t/sizes.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: sizes.mlir:2:8: error: --isolated refuses 'tensor.empty' of sizes that are not static
// RUN: not mdh run %t/overflow.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: overflow.mlir:2:8: error: --isolated refuses buffers of more than 1099511627776 elements

// Violations that no run-time check would detect:
// RUN: not mdh run %t/inserted.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=INSERTED
// INSERTED: inserted.mlir:2:8: error: --isolated refuses 'tensor.insert_slice' of any sizes: nothing checks it when it runs
// RUN: not mdh run %t/view.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: view.mlir:2:8: error: --isolated refuses 'memref.subview' of sizes or strides that are not static
// RUN: not mdh run %t/expanded.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=EXPANDED
// EXPANDED: expanded.mlir:2:8: error: --isolated refuses 'tensor.expand_shape' to several sizes that are not static
// RUN: not mdh run %t/modulo.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=MODULO
// MODULO: modulo.mlir:2:8: error: --isolated refuses 'linalg.generic' with a map that is not linear
// RUN: not mdh run %t/promise.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=PROMISE
// PROMISE: promise.mlir:2:8: error: --isolated refuses 'arith.addi' with a promise that it does not overflow
// RUN: not mdh run %t/shift.mlir --isolated --input 2 2>&1 | FileCheck %s --check-prefix=SHIFT
// SHIFT: shift.mlir:3:8: error: --isolated refuses 'arith.shli' by a number of bits that is not a constant below the width

//--- computes.mlir
memref.global "private" constant @weights : memref<4xf32> = dense<2.0>
func.func private @twice(%a: f32) -> f32 {
  %r = arith.addf %a, %a : f32
  return %r : f32
}
func.func @f(%x: memref<4xf32> {bufferization.writable = true}) attributes {llvm.emit_c_interface} {
  %w = memref.get_global @weights : memref<4xf32>
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %w[affine_map<(i) -> (i)>] : (memref<4xf32>, memref<4xf32>) -> !mdh.mda<4, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %c = func.call @twice(%a) : (f32) -> f32
    %d = arith.mulf %b, %c : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<4, f32, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %x : !mdh.mda<4, f32>, memref<4xf32>
  return
}
//--- declared.mlir
func.func private @system(i64) -> i32
func.func @f(%x: i64) -> i32 {
  %r = call @system(%x) : (i64) -> i32
  return %r : i32
}
//--- assembly.mlir
func.func @f(%x: i64) -> i64 {
  llvm.inline_asm has_side_effects "nop", "" : () -> ()
  return %x : i64
}
//--- pointer.mlir
func.func @f(%x: memref<4xf32>) -> index {
  %p = memref.extract_aligned_pointer_as_index %x : memref<4xf32> -> index
  return %p : index
}
//--- forged.mlir
func.func @f(%x: memref<4xf32>) -> f32 {
  %c = arith.constant 3 : index
  %y = memref.reinterpret_cast %x to offset: [4096], sizes: [4], strides: [1] : memref<4xf32> to memref<4xf32, strided<[1], offset: 4096>>
  %e = memref.load %y[%c] : memref<4xf32, strided<[1], offset: 4096>>
  return %e : f32
}
//--- cast.mlir
func.func @f(%x: i64) -> i64 {
  %p = builtin.unrealized_conversion_cast %x : i64 to !llvm.ptr
  return %x : i64
}
//--- indirect.mlir
func.func private @g(%x: i64) -> i64 {
  return %x : i64
}
func.func @f(%x: i64) -> i64 {
  %g = func.constant @g : (i64) -> i64
  %r = func.call_indirect %g(%x) : (i64) -> i64
  return %r : i64
}
//--- global.mlir
memref.global "private" @environ : memref<4xi64>
func.func @f(%x: i64) -> i64 {
  return %x : i64
}
//--- freed.mlir
func.func @f(%x: memref<4xf32>) {
  memref.dealloc %x : memref<4xf32>
  return
}
//--- attribute.mlir
func.func @f(%x: i64) -> i64 attributes {passthrough = ["naked"]} {
  return %x : i64
}
//--- argument.mlir
func.func @f(%x: memref<4xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}) {
  return
}
//--- stack.mlir
func.func @f(%x: index) -> i64 {
  %s = memref.alloca() : memref<4096x4096xi64>
  %e = memref.load %s[%x, %x] : memref<4096x4096xi64>
  return %e : i64
}
//--- sizes.mlir
func.func @f(%x: index) -> i64 {
  %s = tensor.empty(%x, %x) : tensor<?x?xi64>
  %e = tensor.extract %s[%x, %x] : tensor<?x?xi64>
  return %e : i64
}
//--- overflow.mlir
func.func @f(%x: index) -> i64 {
  %s = memref.alloc() : memref<4294967296x4294967296xi64>
  %e = memref.load %s[%x, %x] : memref<4294967296x4294967296xi64>
  return %e : i64
}
//--- inserted.mlir
func.func @f(%x: tensor<?xf32>, %o: tensor<4xf32>, %e: index) -> tensor<4xf32> {
  %q = tensor.insert_slice %x into %o[0] [%e] [1] : tensor<?xf32> into tensor<4xf32>
  return %q : tensor<4xf32>
}
//--- view.mlir
func.func @f(%m: memref<?xf32>, %s: index, %st: index, %i: index, %x: f32) {
  %v = memref.subview %m[0] [%s] [%st] : memref<?xf32> to memref<?xf32, strided<[?]>>
  memref.store %x, %v[%i] : memref<?xf32, strided<[?]>>
  return
}
//--- expanded.mlir
func.func @f(%x: tensor<?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
//--- modulo.mlir
func.func @f(%x: tensor<16xf32>, %o: tensor<8193xf32>) -> tensor<8193xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 mod 4096)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%o : tensor<8193xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8193xf32>
  return %r : tensor<8193xf32>
}
//--- promise.mlir
func.func @f(%a: index) -> index {
  %i = arith.addi %a, %a overflow<nsw> : index
  return %i : index
}
//--- shift.mlir
func.func @f(%a: i64) -> i64 {
  %c64 = arith.constant 64 : i64
  %i = arith.shli %a, %c64 : i64
  return %i : i64
}
