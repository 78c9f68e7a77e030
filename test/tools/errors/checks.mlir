// Sizes and indices of the code around computations: an invalid one ends the run with one error at its location, and no file is left.
// RUN: rm -rf %t && mkdir -p %t
// RUN: not mdh run %s --function around --input 1 --input 6 --input 0 --output %t/a.npy --output %t/b.npy --output %t/c.npy > %t.cast 2>&1
// RUN: FileCheck %s --check-prefix=CAST --input-file %t.cast
// CAST-NOT: {{.}}
// CAST: {{.*}}checks.mlir:[[#@LINE+21]]:{{[0-9]+}}: error: 'tensor.cast' fails: size mismatch of dim 0{{$}}
// CAST-NOT: {{.}}
// RUN: not mdh run %s --function around --input 1 --input 9 --input 0 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: checks.mlir:[[#@LINE+17]]:{{[0-9]+}}: error: 'tensor.extract_slice' fails: {{.+$}}
// RUN: not mdh run %s --function around --input 1 --input 8 --input -1 2>&1 | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: checks.mlir:[[#@LINE+17]]:{{[0-9]+}}: error: 'tensor.extract' fails: out-of-bounds access{{$}}
// RUN: not mdh run %s --function around --input 1 --input 8 --input 7 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: checks.mlir:[[#@LINE+19]]:{{[0-9]+}}: error: 'memref.load' fails: out-of-bounds access{{$}}
// RUN: not mdh run %s --function asserted --input 3 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: checks.mlir:[[#@LINE+33]]:{{[0-9]+}}: error: requires an even number{{$}}
// RUN: ls -A %t | count 0
// RUN: mdh run %s --function around --input 1 --input 8 --input 3 --check --output %t/a.npy --output %t/b.npy --output %t/c.npy | FileCheck %s --check-prefix=RIGHT
// RIGHT: agrees with the reference evaluator
// RUN: ls -A %t | count 3
// Code that is not executed is not checked.
// RUN: mdh-opt %s --lower-mdh="stop-after=loops" | FileCheck %s --check-prefix=LOWERED
// LOWERED-COUNT-1: cf.assert
// LOWERED-NOT: cf.assert

func.func @around(%x: tensor<8xf32>, %size: index, %i: index) -> (tensor<8xf32>, f32, f32) {
  %part = tensor.extract_slice %x[0] [%size] [1] : tensor<8xf32> to tensor<?xf32>
  %whole = tensor.cast %part : tensor<?xf32> to tensor<8xf32>
  %element = tensor.extract %x[%i] : tensor<8xf32>
  %memory = memref.alloc() : memref<4xf32>
  %number = arith.constant 1.0 : f32
  linalg.fill ins(%number : f32) outs(%memory : memref<4xf32>)
  %loaded = memref.load %memory[%i] : memref<4xf32>
  memref.dealloc %memory : memref<4xf32>
  %in = mdh.view.inp_view %whole[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %w, %element, %loaded : tensor<8xf32>, f32, f32
}

func.func @asserted(%n: index) -> index {
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %rest = arith.remui %n, %two : index
  %is_even = arith.cmpi eq, %rest, %zero : index
  cf.assert %is_even, "requires an even number"
  return %n : index
}
