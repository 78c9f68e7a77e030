// Scalars captured by a scalar function: parameters, computed ones and constants, also in nested regions.
// RUN: mdh run %s --function scaled --input 1.5 --input 3 --input 2.5 --check | FileCheck %s
// RUN: mdh run %s --function scaled --input 1.5 --input 3 --input 2.5 --strict --threads 2 --check | FileCheck %s
// RUN: mdh run %s --function in_memory --input 3 --input 7 --check | FileCheck %s
// RUN: %if opencl %{ mdh run %s --function scaled --input 1.5 --input 3 --input 2.5 --engine opencl --check | FileCheck %s %}
// RUN: mdh compile %s --function in_memory --target cuda --emit manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: not mdh compile %s --function scaled --target cuda --emit manifest 2>&1 | FileCheck %s --check-prefix=COMPUTED
// CHECK: agrees with the reference evaluator

// The host passes a captured scalar in an element that it fills. A scalar that the host computes cannot be a step of a manifest.
// MANIFEST: "fill": {
// MANIFEST: "value": {
// MANIFEST-NEXT: "value": "argument 1"
// COMPUTED: captured-scalars.mlir:[[@LINE+4]]:{{[0-9]+}}: error: the manifest requires elements that are constants or arguments, but got 'arith.mulf'

func.func @scaled(%alpha: f32, %n: index, %x: tensor<70x33xf32>) -> tensor<70xf32> {
  %half = arith.constant 0.5 : f32
  %beta = arith.mulf %alpha, %half : f32
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<70x33xf32>) -> !mdh.mda<70x33, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    %j = mdh.hom.index 1 : index
    %some = arith.cmpi ult, %j, %n : index
    %y = scf.if %some -> f32 {
      %scaled = arith.mulf %a, %alpha : f32
      scf.yield %scaled : f32
    } else {
      %sum = arith.addf %beta, %half : f32
      scf.yield %sum : f32
    }
    mdh.hom.yield %y : f32
  } : !mdh.mda<70x33, f32> -> !mdh.mda<70x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j) -> (i)>] : !mdh.mda<70x1, f32> -> tensor<70xf32>
  return %w : tensor<70xf32>
}

func.func @in_memory(%k: i64, %m: memref<20xi64>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<20>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    mdh.hom.yield %k : i64
  } : !mdh.mda<20> -> !mdh.mda<20, i64>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %m : !mdh.mda<20, i64>, memref<20xi64>
  return
}
