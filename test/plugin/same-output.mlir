// The stock mlir-opt with the plugin prints the same as mdh-opt: parsed, lowered, after each stage, as bytecode, and for errors.
// REQUIRES: plugin

// RUN: mdh-opt %root/docs/matvec.mlir -o %t.ours
// RUN: %stock-mlir-opt %root/docs/matvec.mlir -o %t.stock
// RUN: diff %t.ours %t.stock
// RUN: %stock-mlir-opt %t.ours | diff %t.ours -
// RUN: mdh-opt %root/docs/matvec.mlir --emit-bytecode -o %t.bytecode
// RUN: %stock-mlir-opt %t.bytecode | diff %t.ours -

// RUN: mdh-opt --lower-mdh %root/docs/matvec.mlir -o %t.ours
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(lower-mdh)' %root/docs/matvec.mlir | diff %t.ours -

// RUN: mdh-opt --lower-mdh=stop-after=promote-memory %root/docs/matvec.mlir -o %t.ours
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(lower-mdh{stop-after=promote-memory})' %root/docs/matvec.mlir | diff %t.ours -
// RUN: %stock-mlir-opt --pass-pipeline='builtin.module(mdh-expand-compute,mdh-check,mdh-schedule,mdh-partition,mdh-tag-operators,mdh-promote-memory)' %root/docs/matvec.mlir | diff %t.ours -

// RUN: not mdh-opt %s 2> %t.ours
// RUN: not %stock-mlir-opt %s 2> %t.stock
// RUN: diff %t.ours %t.stock
// RUN: FileCheck %s < %t.stock

func.func @too_many_operators(%v: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %v[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // CHECK: same-output.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'mdh.hom.md_hom' op
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %w = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
