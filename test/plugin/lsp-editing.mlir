// mdh-lsp-server shows the documentation of operations, attributes and types, and completes their names.

// RUN: rm -rf %t && split-file %s %t
// RUN: ln -sf %mdh-opt-file %t/mdh-lsp-server
// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %root/docs/matvec.mlir hover mdh.hom.md_hom hover '#mdh.pw' hover '!mdh.mda' | FileCheck %s
// CHECK: mdh.hom.md_hom: "mdh.hom.md_hom"
// CHECK: "mdh.hom.md_hom"(%0) <{combine = [#mdh.cc, #mdh.pw<add>]}>
// CHECK: _A multi-dimensional homomorphism_
// CHECK: Applies the scalar function at each point
// CHECK: #mdh.pw: _Point-wise combination_
// CHECK: !mdh.mda: _A multi-dimensional array

// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %t/operation.mlir complete 'mdh.' | FileCheck %s --check-prefix=OPERATION
// OPERATION: mdh.: compute hom.index hom.md_hom {{.*}} view.inp_view view.out_view

// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %t/attribute.mlir complete '#mdh.' | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: #mdh.: cc {{.*}}ps pw

// RUN: %python %S/Inputs/lsp.py %t/mdh-lsp-server %t/kind.mlir complete '#mdh.pw<' | FileCheck %s --check-prefix=KIND
// KIND: #mdh.pw<: add and max min mul or xor

//--- operation.mlir
func.func @main(%x: tensor<8xf32>) {
  %in = mdh.
}

//--- attribute.mlir
func.func @main(%in: !mdh.mda<8, f32>) {
  %res = mdh.hom.md_hom %in combine [#mdh.
}

//--- kind.mlir
func.func @main(%in: !mdh.mda<8, f32>) {
  %res = mdh.hom.md_hom %in combine [#mdh.pw<
}
