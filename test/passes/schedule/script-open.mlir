// Part counts that a script leaves open: the cost model chooses them.
// RUN: mdh-opt %s --mdh-schedule="print-script machine=%examples/machines/avx512.json threads=4" -o %t.mlir 2>&1 | FileCheck %s
// RUN: %python %S/../../raise/Inputs/arrays.py %t 256x512 512x384
// Both functions have the same result, because sums of the inputs are exact; the evaluator computes it once.
// RUN: mdh run %s --function host --input %t0.npy --input %t1.npy --check --output %t.host.npy
// RUN: mdh run %s --function device --input %t0.npy --input %t1.npy --output %t.device.npy
// RUN: cmp %t.host.npy %t.device.npy

// CHECK: @host, computation 1, on @cpu: x 256 · y 384 · z 512
// CHECK-NEXT: {{^}}  tile: x ? · x ? · x ? · y 384 · z 512
// CHECK-NEXT: {{^}}  tile: x ? · x ? · x ? · y ? · y ? · y 16 · z 512
// CHECK: {{^}}  chosen: threads x {{[0-9]+}} · [input 2 in L2[2, 1, 2]] · y {{[0-9]+}} · x {{[0-9]+}} · registers x {{[0-9]+}} · registers y {{[0-9]+}} · vector y 16 · z 512
mdh.lowlevel.schedule @host on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2, %i3 = mdh.lowlevel.tile %i by [?, ?]
  %j1, %j2, %j3 = mdh.lowlevel.tile %j by [?, 16]
  mdh.lowlevel.interchange %i1, %j1, %i2, %i3, %j2, %j3
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.unroll %i3
  mdh.lowlevel.unroll %j2
  mdh.lowlevel.vectorize %j3
  mdh.lowlevel.cache input 2 in L2 at %j1 layout [2, 1, 2]
}
func.func @host(%A: tensor<256x512xf32>, %B: tensor<512x384xf32>) -> tensor<256x384xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<256x512xf32>, tensor<512x384xf32>) -> !mdh.mda<256x384x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<256x384x512, f32, f32> -> !mdh.mda<256x384x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<256x384x1, f32> -> tensor<256x384xf32>
  return %c : tensor<256x384xf32>
}

// CHECK: @device, computation 1, on @cuda: x 256 · y 384 · z 512
// CHECK: {{^}}  chosen: blocks x {{[0-9]+}} · blocks y {{[0-9]+}} · threads x {{[0-9]+}} · threads y 32 · [output 1 in RM[1, 2]] · z {{[0-9]+}} · [input 1 in SM[1, 2]] · [input 2 in SM[1, 2]] · z {{[0-9]+}}
mdh.lowlevel.schedule @device on @cuda {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [?]
  %j1, %j2 = mdh.lowlevel.tile %j by [32]
  %k1, %k2 = mdh.lowlevel.tile %k by [?]
  mdh.lowlevel.interchange %i1, %j1, %i2, %j2, %k1, %k2
  mdh.lowlevel.parallelize %i1 on SMX
  mdh.lowlevel.parallelize %j1 on SMX
  mdh.lowlevel.parallelize %i2 on CC
  mdh.lowlevel.parallelize %j2 on CC
  mdh.lowlevel.cache input 1 in SM at %k2
  mdh.lowlevel.cache input 2 in SM at %k2
  mdh.lowlevel.combine_in output 1 RM at %k1
}
func.func @device(%A: tensor<256x512xf32>, %B: tensor<512x384xf32>) -> tensor<256x384xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<256x512xf32>, tensor<512x384xf32>) -> !mdh.mda<256x384x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<256x384x512, f32, f32> -> !mdh.mda<256x384x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<256x384x1, f32> -> tensor<256x384xf32>
  return %c : tensor<256x384xf32>
}

// The loops of dimensions that no command names are those of the best plan with the loops of the script.
// CHECK: @dimensions, computation 1, on @cpu: x 256 · y 384 · z 512
// CHECK-NEXT: {{^}}  tile: x 64 · x 4 · y 384 · z 512
// CHECK-NEXT: {{^}}  unroll: x 64 · registers x 4 · y 384 · z 512
// CHECK-NEXT: {{^}}  cache: [input 1 in L3[1, 2]] · x 64 · registers x 4 · y 384 · z 512
// CHECK-NEXT: {{^}}  chosen: {{.*}}[input 1 in L3[1, 2]]{{.*}} · x 64 · registers x 4 · registers y {{[0-9]+}} · vector y 16 · z 512
mdh.lowlevel.schedule @dimensions {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [4]
  mdh.lowlevel.unroll %i2
  mdh.lowlevel.cache input 1 in L3 at %i1
}
func.func @dimensions(%A: tensor<256x512xf32>, %B: tensor<512x384xf32>) -> tensor<256x384xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<256x512xf32>, tensor<512x384xf32>) -> !mdh.mda<256x384x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<256x384x512, f32, f32> -> !mdh.mda<256x384x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<256x384x1, f32> -> tensor<256x384xf32>
  return %c : tensor<256x384xf32>
}

// No plan has vectors inside of a loop over a reduction: the loops are as they are.
// CHECK: @as_it_is, computation 1, on @cpu: x 256 · y 384 · z 512
// CHECK-NEXT: {{^}}  tile: x 256 · y 24 · y 16 · z 512
// CHECK-NEXT: {{^}}  vectorize: x 256 · y 24 · vector y 16 · z 512
// CHECK-NEXT: {{^}}  interchange: x 256 · y 24 · z 512 · vector y 16
// CHECK-NOT: chosen
mdh.lowlevel.schedule @as_it_is {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %j1, %j2 = mdh.lowlevel.tile %j by [16]
  mdh.lowlevel.vectorize %j2
  mdh.lowlevel.interchange %k, %j2
}
func.func @as_it_is(%A: tensor<256x512xf32>, %B: tensor<512x384xf32>) -> tensor<256x384xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<256x512xf32>, tensor<512x384xf32>) -> !mdh.mda<256x384x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<256x384x512, f32, f32> -> !mdh.mda<256x384x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<256x384x1, f32> -> tensor<256x384xf32>
  return %c : tensor<256x384xf32>
}

// Extents may be dynamic.
// CHECK: @dynamic, computation 1, on @cpu: x ?
// CHECK-NEXT: {{^}}  tile: x ? · x 8
// CHECK-NEXT: {{^}}  vectorize: x ? · vector x 8
mdh.lowlevel.schedule @dynamic {
^bb0(%i: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  mdh.lowlevel.vectorize %i2
}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}
