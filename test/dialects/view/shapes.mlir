// RUN: mdh-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// The size of a new tensor is an extent, known without the computation: here, that of an input, and an operand.
// CHECK-LABEL: func @sizes
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: index
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: return %[[ROWS]], %[[N]]
func.func @sizes(%x: tensor<?x4xf32>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, 0)>] extents(%n) : (tensor<?x4xf32>) -> !mdh.mda<?x?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x?, f32>
  %w = mdh.view.out_view %res[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x?, f32> -> tensor<?x?xf32>
  %rows = tensor.dim %w, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %w, %c1 : tensor<?x?xf32>
  return %rows, %columns : index, index
}

// Another dynamic size is one more than the largest index, but 0 if an extent is 0: it stays.
// CHECK-LABEL: func @shifted
// CHECK: %[[W:.*]] = mdh.view.out_view
// CHECK: tensor.dim %[[W]]
func.func @shifted(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %res[affine_map<(i) -> (i + 2)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  %size = tensor.dim %w, %c0 : tensor<?xf32>
  return %size : index
}
