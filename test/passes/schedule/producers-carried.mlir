// Producers in loops: what they read is carried by the loop, and scalars are stored between them and their consumer. The
// default schedule computes them in parts, which is legal after bufferization, too.
// RUN: mdh-opt %s --lower-mdh="raise=false machine=%S/../../../examples/machines/avx512.json threads=2 stop-after=schedule" | FileCheck %s
// RUN: mdh-opt %s --lower-mdh="raise=false machine=%S/../../../examples/machines/avx512.json threads=2 print-nest=true" --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST

// CHECK-LABEL: func.func @carried
// CHECK: at = {consumer = 2 : i64
// NEST-LABEL: @carried, computation 2:
// NEST: compute a part of computation 1:
func.func @carried(%x: tensor<4096x4096xf32>, %s: f32) -> tensor<4096x4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<4096x4096xf32>) {
    %in = mdh.view.inp_view %y[affine_map<(i, k) -> (i, k)>] : (tensor<4096x4096xf32>) -> !mdh.mda<4096x4096, f32>
    %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
    ^bb0(%a: f32):
      mdh.hom.yield %a : f32
    } : !mdh.mda<4096x4096, f32> -> !mdh.mda<4096x1, f32>
    %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
    %first = tensor.extract %y[%c0, %c0] : tensor<4096x4096xf32>
    %sum = arith.addf %first, %s : f32
    %scalar = tensor.from_elements %sum : tensor<f32>
    %in2 = mdh.view.inp_view %y[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>], %scalar[affine_map<(i, k) -> ()>]
        : (tensor<4096x4096xf32>, tensor<4096xf32>, tensor<f32>) -> !mdh.mda<4096x4096, f32, f32, f32>
    %q = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      %e = arith.addf %d, %c : f32
      mdh.hom.yield %e : f32
    } : !mdh.mda<4096x4096, f32, f32, f32> -> !mdh.mda<4096x4096, f32>
    %z = mdh.view.out_view %q[affine_map<(i, k) -> (i, k)>] : !mdh.mda<4096x4096, f32> -> tensor<4096x4096xf32>
    scf.yield %z : tensor<4096x4096xf32>
  }
  return %r : tensor<4096x4096xf32>
}

// The consumer has the same number after bufferization, which removes a computation that nothing uses.
// CHECK-LABEL: func.func @after_an_unused_one
// CHECK: at = {consumer = 3 : i64
// NEST-LABEL: @after_an_unused_one, computation 2:
// NEST: compute a part of computation 1:
func.func @after_an_unused_one(%x: tensor<?xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %u = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %um = mdh.hom.md_hom %u combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %unused = mdh.view.out_view %um[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  %in = mdh.view.inp_view %y[affine_map<(i, k) -> (i, k)>] : (tensor<4096x4096xf32>) -> !mdh.mda<4096x4096, f32>
  %m = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4096x4096, f32> -> !mdh.mda<4096x1, f32>
  %max = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<4096x1, f32> -> tensor<4096xf32>
  %in2 = mdh.view.inp_view %y[affine_map<(i, k) -> (i, k)>], %max[affine_map<(i, k) -> (i)>] : (tensor<4096x4096xf32>, tensor<4096xf32>) -> !mdh.mda<4096x4096, f32, f32>
  %s = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<4096x4096, f32, f32> -> !mdh.mda<4096x4096, f32>
  %r = mdh.view.out_view %s[affine_map<(i, k) -> (i, k)>] : !mdh.mda<4096x4096, f32> -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}
