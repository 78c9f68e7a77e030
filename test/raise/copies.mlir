// Pads and concatenations become computations that write to parts of one tensor.
// RUN: mdh-opt %s --mdh-raise | FileCheck %s
// RUN: mdh-opt %s --mdh-raise --mdh-fuse | FileCheck %s --check-prefix=FUSED
// RUN: %python %S/Inputs/arrays.py %t 6x7 2x3x4 5x3 2x3 4 6 6x300 2x3
// RUN: %against-numpy mdh run %s --function border --input %t6.npy --check
// RUN: %against-numpy mdh run %s --function short_rows --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function one_side --input %t1.npy --input 7.5 --check
// RUN: %against-numpy mdh run %s --function nothing --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function rows --input %t2.npy --input %t3.npy --check
// RUN: %against-numpy mdh run %s --function columns --input %t3.npy --input %t7.npy --check
// RUN: %against-numpy mdh run %s --function rotated --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function stencil --input %t0.npy --check
// RUN: %against-numpy mdh run %s --function joined --input %t4.npy --input %t5.npy --check
// RUN: %against-numpy mdh run %s --function by_index --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function dynamic --input %t4.npy --check
// RUN: %against-numpy mdh run %s --function written --input %t4.npy --check

// CHECK-LABEL: @border
// CHECK:       %[[NEW:.*]] = tensor.empty() : tensor<9x305xf32>
// CHECK:       mdh.view.out_view %{{.*}} into %[[NEW]] : !mdh.mda<1x305, f32>
// CHECK:       : !mdh.mda<2x305, f32>, tensor<9x305xf32>
// CHECK:       : !mdh.mda<6x3, f32>, tensor<9x305xf32>
// CHECK:       : !mdh.mda<6x2, f32>, tensor<9x305xf32>
// CHECK:       : !mdh.mda<6x300, f32>, tensor<9x305xf32>
// CHECK-NOT:   mdh.view.out_view
// CHECK:       return
func.func @border(%x: tensor<6x300xf32>) -> tensor<9x305xf32> {
  %p = tensor.pad %x low[1, 3] high[2, 2] {
  ^bb0(%i: index, %j: index):
    %v = arith.constant 2.0 : f32
    tensor.yield %v : f32
  } : tensor<6x300xf32> to tensor<9x305xf32>
  return %p : tensor<9x305xf32>
}

// CHECK-LABEL: @short_rows
// CHECK:       : !mdh.mda<9x12, f32>, tensor<9x12xf32>
// CHECK:       : !mdh.mda<6x7, f32>, tensor<9x12xf32>
// CHECK-NOT:   mdh.view.out_view
// CHECK:       return
func.func @short_rows(%x: tensor<6x7xf32>) -> tensor<9x12xf32> {
  %p = tensor.pad %x low[1, 3] high[2, 2] {
  ^bb0(%i: index, %j: index):
    %v = arith.constant 2.0 : f32
    tensor.yield %v : f32
  } : tensor<6x7xf32> to tensor<9x12xf32>
  return %p : tensor<9x12xf32>
}

// CHECK-LABEL: @one_side
// CHECK:       : !mdh.mda<2x7x4, f32>, tensor<2x10x4xf32>
// CHECK:       : !mdh.mda<2x3x4, f32>, tensor<2x10x4xf32>
// CHECK-NOT:   mdh.view.out_view
// CHECK:       return
func.func @one_side(%x: tensor<2x3x4xf32>, %v: f32) -> tensor<2x10x4xf32> {
  %p = tensor.pad %x low[0, 0, 0] high[0, 7, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %v : f32
  } : tensor<2x3x4xf32> to tensor<2x10x4xf32>
  return %p : tensor<2x10x4xf32>
}

// CHECK-LABEL: @nothing
// CHECK-COUNT-1: mdh.view.out_view
// CHECK:       return
func.func @nothing(%x: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %p = tensor.pad %x low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %v = arith.constant 2.0 : f32
    tensor.yield %v : f32
  } : tensor<6x7xf32> to tensor<6x7xf32>
  return %p : tensor<6x7xf32>
}

// CHECK-LABEL: @rows
// CHECK:       : !mdh.mda<5x3, f32>, tensor<12x3xf32>
// CHECK:       : !mdh.mda<2x3, f32>, tensor<12x3xf32>
// CHECK:       : !mdh.mda<5x3, f32>, tensor<12x3xf32>
// CHECK:       return
func.func @rows(%x: tensor<5x3xf32>, %y: tensor<2x3xf32>) -> tensor<12x3xf32> {
  %c = tensor.concat dim(0) %x, %y, %x : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<12x3xf32>
  return %c : tensor<12x3xf32>
}

// CHECK-LABEL: @columns
// CHECK-COUNT-2: : !mdh.mda<2x3, f32>, tensor<2x6xf32>
// CHECK:       return
func.func @columns(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %c : tensor<2x6xf32>
}

// Slices become index functions of the copies.
// FUSED-LABEL: @rotated
// FUSED-NOT:   tensor.extract_slice
// FUSED:       return
func.func @rotated(%x: tensor<6xf32>) -> tensor<6xf32> {
  %a = tensor.extract_slice %x[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[0] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// What computes the elements is inlined into the copy, what reads them reads the whole tensor.
// FUSED-LABEL: @stencil
// FUSED:       arith.maximumf
// FUSED:       mdh.view.out_view %{{.*}} : !mdh.mda<6x7, f32>, tensor<8x9xf32> -> tensor<8x9xf32>
// FUSED:       combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>, #mdh.pw<[add]>]
// FUSED-NOT:   mdh.hom.md_hom
// FUSED:       return
func.func @stencil(%x: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<6x7xf32>
  %p = tensor.pad %r low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<6x7xf32> to tensor<8x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i + k, j + l)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<8x9xf32>, tensor<3x3xf32>) outs(%f : tensor<6x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<6x7xf32>
  return %s : tensor<6x7xf32>
}

// A part of a concatenation that is read is not the whole of it.
// FUSED-LABEL: @joined
// FUSED-COUNT-3: mdh.hom.md_hom
// FUSED:       return
func.func @joined(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<10xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %e = tensor.empty() : tensor<10xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<10xf32>) outs(%e : tensor<10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// A value that depends on the index stays.
// CHECK-LABEL: @by_index
// CHECK:       tensor.pad
func.func @by_index(%x: tensor<4xf32>) -> tensor<7xf32> {
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<7xf32>
  return %p : tensor<7xf32>
}

// CHECK-LABEL: @dynamic
// CHECK:       tensor.pad
// CHECK:       tensor.concat
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %v = arith.constant 2.0 : f32
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  %c = tensor.concat dim(0) %p, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// The numbers of the computations of a program do not change.
// CHECK-LABEL: @written
// CHECK:       tensor.pad
// CHECK-COUNT-1: mdh.hom.md_hom
// CHECK-NOT:   mdh.hom.md_hom
func.func @written(%x: tensor<4xf32>) -> tensor<6xf32> {
  %v = arith.constant 2.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  %a = mdh.view.inp_view %p[affine_map<(i) -> (i)>] : (tensor<6xf32>) -> !mdh.mda<6, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<6, f32> -> !mdh.mda<6, f32>
  %r = mdh.view.out_view %b[affine_map<(i) -> (i)>] : !mdh.mda<6, f32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}
