// mdh-lsp-server publishes the messages of our verifiers at their lines.

// RUN: mkdir -p %t
// RUN: ln -sf %mdh-opt-file %t/mdh-lsp-server
// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %s | FileCheck %s
// CHECK: mdh-lsp-server {{[0-9]+\.[0-9]+\.[0-9]+$}}

// A document that nests too deeply gets a message, and the server keeps running.
// RUN: %python -c "print('\n'.join(['module {'] * 20000 + ['}'] * 20000))" > %t/deep.mlir
// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %t/deep.mlir | FileCheck %s --check-prefix=DEEP
// DEEP: line 257: requires nesting of at most 256 levels, but here it has 257

func.func @too_many_operators(%v: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %v[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // CHECK: line [[# @LINE + 1]]: {{.*}}mdh.hom.md_hom
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %w = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
