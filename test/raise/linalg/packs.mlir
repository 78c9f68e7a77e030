// Tiles of tensors become copies.
// RUN: mdh-opt %s --mdh-raise | FileCheck %s
// RUN: mdh-opt %s --mdh-raise --mdh-fuse | FileCheck %s --check-prefix=FUSED
// RUN: %python %S/../Inputs/arrays.py %t 8x12 8x12x5@9 7x10 4x2x4x3 6x8 3x2x4x4
// RUN: %against-numpy mdh run %s --function even --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function permuted --input %t1.npy --check
// RUN: %against-numpy mdh run %s --function rest --input %t2.npy --input 3 --check
// RUN: %against-numpy mdh run %s --function back --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function inverse --input %t2.npy --input 3 --check
// RUN: %against-numpy mdh run %s --function product --input %t4.npy --input %t5.npy --check

// CHECK: #[[TILES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 4 + d2, d1 * 3 + d3)>
// CHECK-LABEL: @even
// CHECK:       mdh.view.inp_view %{{.*}}[#[[TILES]]] : (tensor<8x12xf32>) -> !mdh.mda<2x4x4x3, f32>
func.func @even(%x: tensor<8x12xf32>) -> tensor<2x4x4x3xf32> {
  %e = tensor.empty() : tensor<2x4x4x3xf32>
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<8x12xf32> -> tensor<2x4x4x3xf32>
  return %p : tensor<2x4x4x3xf32>
}

func.func @permuted(%x: tensor<8x12x5xi32>) -> tensor<5x2x2x6x4xi32> {
  %e = tensor.empty() : tensor<5x2x2x6x4xi32>
  %p = linalg.pack %x outer_dims_perm = [2, 0, 1] inner_dims_pos = [1, 0] inner_tiles = [6, 4] into %e : tensor<8x12x5xi32> -> tensor<5x2x2x6x4xi32>
  return %p : tensor<5x2x2x6x4xi32>
}

// The last tiles are not full.
// CHECK-LABEL: @rest
// CHECK:       %[[PADDED:.*]] = mdh.view.out_view {{.*}} -> tensor<8x12xf32>
// CHECK:       %[[INSIDE:.*]] = mdh.view.out_view {{.*}} into %[[PADDED]] : !mdh.mda<7x10, f32>
// CHECK:       mdh.view.inp_view %[[INSIDE]][#[[TILES]]]
func.func @rest(%x: tensor<7x10xf32>, %v: f32) -> tensor<2x4x4x3xf32> {
  %e = tensor.empty() : tensor<2x4x4x3xf32>
  %p = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<7x10xf32> -> tensor<2x4x4x3xf32>
  return %p : tensor<2x4x4x3xf32>
}

// CHECK-LABEL: @back
// CHECK:       %[[ROWS:.*]] = mdh.view.out_view {{.*}} -> tensor<2x4x4x3xf32>
// CHECK:       %[[WHOLE:.*]] = tensor.collapse_shape %[[ROWS]] {{\[\[}}0, 1], [2, 3]] : tensor<2x4x4x3xf32> into tensor<8x12xf32>
// CHECK:       tensor.extract_slice %[[WHOLE]][0, 0] [7, 10] [1, 1]
func.func @back(%p: tensor<4x2x4x3xf32>) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<7x10xf32>
  %x = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<4x2x4x3xf32> -> tensor<7x10xf32>
  return %x : tensor<7x10xf32>
}

// Packing and unpacking is one copy of the padded tensor.
// FUSED-LABEL: @inverse
// FUSED-COUNT-3: mdh.hom.md_hom
// FUSED-NOT:   mdh.hom.md_hom
// FUSED:       return
func.func @inverse(%x: tensor<7x10xf32>, %v: f32) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<2x4x4x3xf32>
  %p = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<7x10xf32> -> tensor<2x4x4x3xf32>
  %f = tensor.empty() : tensor<7x10xf32>
  %y = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %f : tensor<2x4x4x3xf32> -> tensor<7x10xf32>
  return %y : tensor<7x10xf32>
}

// A product of tiles reads the matrix before it is packed.
// FUSED-LABEL: @product
// FUSED-SAME:  (%[[X:.*]]: tensor<6x8xf32>
// FUSED-NEXT:  arith.constant
// FUSED-NEXT:  mdh.view.inp_view %[[X]]
// FUSED-NEXT:  mdh.hom.md_hom
// FUSED-NOT:   mdh.hom.md_hom
// FUSED:       return
func.func @product(%x: tensor<6x8xf32>, %y: tensor<3x2x4x4xf32>) -> tensor<2x3x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x3x4xf32>
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [3, 4] into %e : tensor<6x8xf32> -> tensor<2x2x3x4xf32>
  %n = tensor.empty() : tensor<2x3x3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%n : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  %r = linalg.mmt4d ins(%p, %y : tensor<2x2x3x4xf32>, tensor<3x2x4x4xf32>) outs(%z : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  return %r : tensor<2x3x3x4xf32>
}
