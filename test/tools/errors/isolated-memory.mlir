// Programs that would leave their arrays, whatever their types, ranks and operations, end with one error at a location.
// RUN: rm -rf %t && split-file %s %t
// RUN: mdh run --isolated %t/arrays.mlir --output %t/v.npy --output %t/m.npy --output %t/n.npy --output %t/g.npy --output %t/b.npy --function arrays
// RUN: not mdh run --isolated %t/bypass.mlir --input %t/v.npy --input 100000000 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=bypass
// RUN: not mdh run --isolated %t/concat.mlir --input %t/m.npy --input %t/n.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=concat
// RUN: not mdh run --isolated %t/dynloop.mlir --input %t/v.npy --input 100000 --input 3 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=dynloop
// RUN: not mdh run --isolated %t/divc.mlir --input 3 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=divc
// RUN: not mdh run --isolated %t/divc2.mlir --input %t/v.npy --input 7 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=divc2
// RUN: not mdh run --isolated %t/fpt.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=fpt
// RUN: not mdh run --isolated %t/intmin.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=intmin
// RUN: not mdh run --isolated %t/layout.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=layout
// RUN: not mdh run --isolated %t/shlc.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=shlc
// RUN: not mdh run --isolated %t/shlfool.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=shlfool
// RUN: not mdh run --isolated %t/softmax.mlir --input %t/m.npy --input %t/n.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=softmax
// RUN: not mdh run --isolated %t/tpad.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=tpad
// RUN: not mdh run --isolated %t/stored.mlir --input %t/g.npy --input -1 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=stored
// RUN: not mdh run --isolated %t/narrow.mlir --input %t/b.npy --input 255 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=narrow
// RUN: not mdh run --isolated %t/unsigned.mlir --input %t/v.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=unsigned
// RUN: not mdh run --isolated %t/remainder.mlir --input %t/v.npy --input 0 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=remainder
// RUN: not mdh run --isolated %t/carried.mlir --input %t/v.npy --input 1000 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=carried
// RUN: not mdh run --isolated %t/copied.mlir --input %t/m.npy --input %t/n.npy 2>&1 | FileCheck %s --check-prefix=LOCATED -DNAME=copied
// LOCATED-NOT: {{.}}
// LOCATED: {{^.*}}[[NAME]].mlir:{{[0-9]+:[0-9]+}}: error: {{.+$}}
// LOCATED-NOT: {{.}}

// Memory that no one has written is zero.
// RUN: mdh run --isolated %t/fresh.mlir --function main --input 3 | FileCheck %s --check-prefix=FRESH
// FRESH: 0

// A crash and the limits of memory and time are one error each; nothing is written.
// RUN: not mdh run --isolated %t/endless.mlir --function recursion --input 3 --output %t/r.npy 2>&1 | FileCheck %s --check-prefix=CRASH
// CRASH-NOT: {{.}}
// CRASH: error: '{{.*}}endless.mlir' was ended by signal {{11 .SIGSEGV.|6 .SIGABRT.}}: it has crashed, or needs more than {{[0-9]+}} MiB of memory (--memory-limit)
// CRASH-NOT: {{.}}
// RUN: not mdh run --isolated %t/endless.mlir --function loop --input 1 --time-limit 3s --output %t/r.npy 2>&1 | FileCheck %s --check-prefix=TIME
// TIME-NOT: {{.}}
// TIME: error: '{{.*}}endless.mlir' has not ended after 3s (--time-limit)
// TIME-NOT: {{.}}
// RUN: not mdh run --isolated %t/endless.mlir --function memory --input 5 --input 1 --output %t/r.npy 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY-NOT: {{.}}
// MEMORY: error: no memory for the {{[0-9]+}} bytes of a buffer
// MEMORY-NOT: {{.}}
// RUN: not test -e %t/r.npy

// Options that would write files, or need a device, are refused.
// RUN: not mdh run --isolated %t/fresh.mlir --function main --input 3 --cache %t/cache 2>&1 | FileCheck %s --check-prefix=CACHE
// CACHE: error: the argument '--isolated' cannot be used with '--cache <DIR>'
// RUN: not mdh run --isolated %t/fresh.mlir --function main --input 3 --engine opencl 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error:

// Results are written to files, and written memrefs, too.
// RUN: mdh run --isolated %t/fresh.mlir --function written --input %t/v.npy --output %t/r.npy
// RUN: mdh run --isolated %t/arrays.mlir --function same --input %t/r.npy | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: 7.0 1.0 2.0 3.0

//--- arrays.mlir
func.func @arrays() -> (tensor<4xf32>, tensor<2x3xf32>, tensor<2x5xf32>, tensor<2x5xf64>, tensor<4xi8>) {
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<2x3xf32>
  %n = arith.constant dense<0.0> : tensor<2x5xf32>
  %g = arith.constant dense<0.0> : tensor<2x5xf64>
  %b = arith.constant dense<0> : tensor<4xi8>
  return %v, %m, %n, %g, %b : tensor<4xf32>, tensor<2x3xf32>, tensor<2x5xf32>, tensor<2x5xf64>, tensor<4xi8>
}
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- fresh.mlir
func.func @main(%i: index) -> i64 {
  %a = memref.alloc() : memref<8192xi64>
  %v = memref.load %a[%i] : memref<8192xi64>
  return %v : i64
}
func.func @written(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7.0 : f32
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}
//--- endless.mlir
func.func @recursion(%n: i64) -> i64 {
  %r = func.call @again(%n) : (i64) -> i64
  return %r : i64
}
func.func private @again(%n: i64) -> i64 {
  %m = func.call @again(%n) : (i64) -> i64
  %s = arith.muli %m, %m : i64
  %t = func.call @again(%s) : (i64) -> i64
  %r = arith.addi %s, %t : i64
  return %r : i64
}
func.func @loop(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %r = scf.while (%k = %n) : (index) -> index {
    %more = arith.cmpi ne, %k, %c0 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %next = arith.muli %k, %n : index
    scf.yield %next : index
  }
  return %r : index
}
func.func @memory(%n: index, %v: f32) -> memref<100000000000xf32> {
  %a = memref.alloc() : memref<100000000000xf32>
  memref.store %v, %a[%n] : memref<100000000000xf32>
  return %a : memref<100000000000xf32>
}
//--- bypass.mlir
func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    %c = index.constant 2
    %k = index.mul %n, %c
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i * 2)>] extents(%k) : (tensor<?xf32>) -> !mdh.mda<?, f32>
    %h = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: f32):
      mdh.hom.yield %a : f32
    } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
    %y = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
//--- concat.mlir
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
//--- dynloop.mlir
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %z) -> (f32) {
    %q = arith.muli %k, %n : index
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i * 2)>] extents(%q) : (tensor<?xf32>) -> !mdh.mda<?, f32>
    %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
    ^bb0(%a: f32):
      mdh.hom.yield %a : f32
    } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
    %y = mdh.view.out_view %h[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
    %v = tensor.extract %y[] : tensor<f32>
    %s = arith.addf %acc, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}
//--- divc.mlir
func.func @main(%a: i32) -> i32 {
  %z = arith.constant 0 : i32
  %q = arith.divsi %a, %z : i32
  return %q : i32
}
//--- divc2.mlir
func.func @main(%m: memref<?xf32>, %a: index) -> f32 {
  %z = arith.constant 0 : index
  %q = arith.divsi %a, %z : index
  %v = memref.load %m[%q] : memref<?xf32>
  return %v : f32
}
//--- fpt.mlir
func.func @main(%m: memref<?xf32>) -> f32 {
  %one = arith.constant 1.0e30 : f32
  %x = arith.fptosi %one : f32 to i64
  %i = arith.index_cast %x : i64 to index
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
//--- intmin.mlir
func.func @main(%m: memref<?xf32>) -> f32 {
  %a = arith.constant -9223372036854775808 : i64
  %b = arith.constant -1 : i64
  %s = arith.divsi %a, %b : i64
  %i = arith.index_cast %s : i64 to index
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
//--- layout.mlir
func.func @main(%x: tensor<?xf32> {bufferization.buffer_layout = affine_map<(d0) -> (d0 * 100000)>}) -> f32 {
  %c = arith.constant 1 : index
  %v = tensor.extract %x[%c] : tensor<?xf32>
  return %v : f32
}
//--- shlc.mlir
func.func @main(%m: memref<?xf32>) -> f32 {
  %one = index.constant 1
  %x = index.constant 70
  %i = index.shl %one, %x
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
//--- shlfool.mlir
func.func @main(%m: memref<?xf32>) -> f32 {
  %a = arith.constant 64 : i64
  %b = arith.constant 10 : i64
  %one = arith.constant 1 : i64
  %amt = arith.addi %a, %b {value = 3 : i64} : i64
  %s = arith.shli %one, %amt : i64
  %i = arith.index_cast %s : i64 to index
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
//--- softmax.mlir
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
//--- tpad.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<12xf32> {
  %c = arith.constant 0.0 : f32
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<12xf32>
  return %r : tensor<12xf32>
}
//--- stored.mlir
func.func @main(%x: memref<?x?xf64>, %n: index) {
  %c = index.constant 3
  %k = index.mul %n, %c
  %v = arith.constant 7.0 : f64
  memref.store %v, %x[%k, %k] : memref<?x?xf64>
  return
}
//--- narrow.mlir
func.func @main(%x: memref<?xi8>, %n: i8) -> i8 {
  %i = arith.index_cast %n : i8 to index
  %v = memref.load %x[%i] : memref<?xi8>
  return %v : i8
}
//--- unsigned.mlir
func.func @main(%m: memref<?xf32>) -> f32 {
  %large = arith.constant 3.0e30 : f64
  %x = arith.fptoui %large : f64 to i32
  %i = arith.index_castui %x : i32 to index
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
//--- remainder.mlir
func.func @main(%m: memref<?xf32>, %z: index) -> f32 {
  %c = index.constant 3
  %q = index.remu %c, %z
  %v = memref.load %m[%q] : memref<?xf32>
  return %v : f32
}
//--- carried.mlir
func.func @main(%m: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c1) -> (index) {
    %next = arith.addi %k, %i : index
    scf.yield %next : index
  }
  %v = memref.load %m[%last] : memref<?xf32>
  return %v : f32
}
//--- copied.mlir
func.func @main(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  memref.copy %b, %a : memref<?x?xf32> to memref<?x?xf32>
  return
}
