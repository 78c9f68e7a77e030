// RUN: mdh-opt %s --mdh-fuse | FileCheck %s
// RUN: mdh-opt %s --mdh-fuse="all=false" | FileCheck %s --check-prefix=RAISED
// RUN: mdh run %s --function softmax --input 0.5 --check

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#i = affine_map<(i) -> (i)>

// Index functions are composed: a transposition, a slice with a stride, and an index.
// CHECK: #[[READ:.*]] = affine_map<(d0, d1) -> (d1 * 2 + 1, d0 + 3)>
// CHECK-LABEL: @composed
// CHECK-SAME: (%[[X:.*]]: tensor<10x10xf32>)
// CHECK-NEXT: mdh.view.inp_view %[[X]][#[[READ]]] : (tensor<10x10xf32>) -> !mdh.mda<5x4, f32>
// CHECK: mdh.hom.index 1
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: mdh.hom.md_hom
// RAISED-LABEL: @composed
// RAISED-COUNT-2: mdh.hom.md_hom
func.func @composed(%x: tensor<10x10xf32>) -> tensor<5x4xf32> {
  %slice = tensor.extract_slice %x[1, 3] [4, 5] [2, 1] : tensor<10x10xf32> to tensor<4x5xf32>
  %a = mdh.view.inp_view %slice[#id] : (tensor<4x5xf32>) -> !mdh.mda<4x5, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    %i = mdh.hom.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.mulf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  %y = mdh.view.out_view %b[#id] : !mdh.mda<4x5, f32> -> tensor<4x5xf32>
  %c = mdh.view.inp_view %y[#swapped] : (tensor<4x5xf32>) -> !mdh.mda<5x4, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.addf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<5x4, f32> -> !mdh.mda<5x4, f32>
  %z = mdh.view.out_view %d[#id] : !mdh.mda<5x4, f32> -> tensor<5x4xf32>
  return %z : tensor<5x4xf32>
}

// A function that is evaluated for each of many readers' points stays: exp of a row, read by each row of another tensor.
// CHECK-LABEL: @repeated
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @repeated(%x: tensor<64xf32>, %m: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %a = mdh.view.inp_view %x[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %y = mdh.view.out_view %b[#i] : !mdh.mda<64, f32> -> tensor<64xf32>
  %c = mdh.view.inp_view %m[#id], %y[affine_map<(i, j) -> (j)>] : (tensor<512x64xf32>, tensor<64xf32>) -> !mdh.mda<512x64, f32, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<512x64, f32, f32> -> !mdh.mda<512x64, f32>
  %z = mdh.view.out_view %d[#id] : !mdh.mda<512x64, f32> -> tensor<512x64xf32>
  return %z : tensor<512x64xf32>
}

// A result that something else uses, too, stays.
// CHECK-LABEL: @returned
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @returned(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<4x5xf32>) -> !mdh.mda<4x5, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  %y = mdh.view.out_view %b[#id] : !mdh.mda<4x5, f32> -> tensor<4x5xf32>
  %c = mdh.view.inp_view %y[#id] : (tensor<4x5xf32>) -> !mdh.mda<4x5, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x1, f32>
  %z = mdh.view.out_view %d[#row] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %y, %z : tensor<4x5xf32>, tensor<4xf32>
}

// From linalg to one computation for each reduction: the maximum, the sum of exponentials, and their quotients.
func.func @softmax(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<6xf32>
  %all = tensor.empty() : tensor<6x40xf32>
  %lowest = linalg.fill ins(%inf : f32) outs(%rows : tensor<6xf32>) -> tensor<6xf32>
  %max = linalg.reduce ins(%x : tensor<6x40xf32>) outs(%lowest : tensor<6xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %m = arith.maximumf %a, %b : f32 linalg.yield %m : f32 }
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<6x40xf32>, tensor<6xf32>) outs(%all : tensor<6x40xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<6x40xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce ins(%e : tensor<6x40xf32>) outs(%start : tensor<6xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : tensor<6x40xf32>, tensor<6xf32>) outs(%all : tensor<6x40xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %q = arith.divf %a, %s : f32
    linalg.yield %q : f32
  } -> tensor<6x40xf32>
  return %r : tensor<6x40xf32>
}
