// RUN: mdh-opt %s --mdh-fuse | FileCheck %s
// RUN: mdh-opt %s --mdh-fuse="all=false" | FileCheck %s --check-prefix=RAISED
// RUN: mdh-opt %s --mdh-raise --mdh-fuse="all=false" | FileCheck %s --check-prefix=STATISTICS
// RUN: mdh run %s --function bias --input 0.5 --input 0.25 --input 2 --check
// RUN: mdh run %s --function softmax --input 0.5 --check
// RUN: mdh run %s --function statistics --input 0.5 --check
// RUN: mdh run %s --function reshapes --input 0.5 --input 2 --check
// RUN: mdh run %s --function statistics --input 0.5 --strict --threads 2 --check

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i, j) -> ()>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#both = affine_map<(i, j, k) -> (i, j)>

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

// Siblings become one computation: sums of squares and, in another order of the dimensions, maxima of the same elements.
// A sum that starts with 0.0 keeps it, and the maximum gets its identity.
// CHECK-LABEL: @siblings
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[IN:.*]] = mdh.view.inp_view %[[X]][#{{[a-z0-9]*}}] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
// CHECK-NEXT: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: mdh.hom.md_hom %[[IN]] init(%[[ZERO]], %[[LOWEST]] : f32, f32) combine [#mdh.cc, #mdh.pw<[add, max]>] {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT: mdh.hom.yield %[[S]], %[[E]]
// CHECK: %[[R:.*]]:2 = mdh.view.out_view {{.*}} -> tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
// RAISED-LABEL: @siblings
// RAISED-COUNT-2: mdh.hom.md_hom
func.func @siblings(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = mdh.view.inp_view %x[#id] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %b = mdh.hom.md_hom %a init(%zero : f32) combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %y = mdh.view.out_view %b[#row] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  %c = mdh.view.inp_view %x[#swapped] : (tensor<4x8xf32>) -> !mdh.mda<8x4, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.pw<max>, #mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x4, f32> -> !mdh.mda<1x4, f32>
  %z = mdh.view.out_view %d[affine_map<(i, j) -> (j)>] : !mdh.mda<1x4, f32> -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// A joined computation keeps the order if one of both does, and fuses products with sums as both do.
// CHECK-LABEL: @ordered_siblings
// CHECK: combine [#mdh.cc, #mdh.pw<[add, add]>] attributes {mdh.contract = true, ordered} {
func.func @ordered_siblings(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %v = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %v combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = true, ordered} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  %w = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %s = mdh.hom.md_hom %w combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = true} {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %squares = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %sums, %squares : tensor<4xf32>, tensor<4xf32>
}

// Sums of which one is fused with products are not joined.
// CHECK-LABEL: @contracted_sibling
// CHECK: combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = false} {
// CHECK: combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = true} {
func.func @contracted_sibling(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %v = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %r = mdh.hom.md_hom %v combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = false} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  %w = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %s = mdh.hom.md_hom %w combine [#mdh.cc, #mdh.pw<add>] attributes {mdh.contract = true} {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %squares = mdh.view.out_view %s[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %sums, %squares : tensor<4xf32>, tensor<4xf32>
}

// Three siblings; the index function of an index is that of the dimension in the joined computation.
// CHECK-LABEL: @elementwise
// CHECK: mdh.hom.md_hom
// CHECK: mdh.hom.index 1
// CHECK: mdh.hom.yield %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @elementwise(%x: tensor<4x8xi32>, %v: tensor<8xi32>) -> (tensor<4x8xi32>, tensor<8x4xi32>, tensor<4x8xi32>) {
  %a = mdh.view.inp_view %x[#id], %v[affine_map<(i, j) -> (j)>] : (tensor<4x8xi32>, tensor<8xi32>) -> !mdh.mda<4x8, i32, i32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: i32, %f: i32):
    %s = arith.muli %e, %f : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<4x8, i32, i32> -> !mdh.mda<4x8, i32>
  %y = mdh.view.out_view %b[#id] : !mdh.mda<4x8, i32> -> tensor<4x8xi32>
  %c = mdh.view.inp_view %x[#swapped] : (tensor<4x8xi32>) -> !mdh.mda<8x4, i32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: i32):
    %i = mdh.hom.index 0 : index
    %n = arith.index_cast %i : index to i32
    %s = arith.addi %e, %n : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<8x4, i32> -> !mdh.mda<8x4, i32>
  %z = mdh.view.out_view %d[#id] : !mdh.mda<8x4, i32> -> tensor<8x4xi32>
  %g = mdh.view.inp_view %x[#id] : (tensor<4x8xi32>) -> !mdh.mda<4x8, i32>
  %h = mdh.hom.md_hom %g combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: i32):
    %s = arith.subi %e, %e : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<4x8, i32> -> !mdh.mda<4x8, i32>
  %w = mdh.view.out_view %h[#id] : !mdh.mda<4x8, i32> -> tensor<4x8xi32>
  return %y, %z, %w : tensor<4x8xi32>, tensor<8x4xi32>, tensor<4x8xi32>
}

// Sums over the same dimensions in another order: each is rounded in the order of the program.
// CHECK-LABEL: @order_of_sums
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @order_of_sums(%x: tensor<8x8xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<8x8xf32>) -> !mdh.mda<8x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<1x1, f32>
  %y = mdh.view.out_view %b[#none] : !mdh.mda<1x1, f32> -> tensor<f32>
  %c = mdh.view.inp_view %x[#swapped] : (tensor<8x8xf32>) -> !mdh.mda<8x8, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<1x1, f32>
  %z = mdh.view.out_view %d[#none] : !mdh.mda<1x1, f32> -> tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}

// Maxima are exact in every order.
// CHECK-LABEL: @order_of_maxima
// CHECK: combine [#mdh.pw<[add, max]>, #mdh.pw<[add, max]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @order_of_maxima(%x: tensor<8x8xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<8x8xf32>) -> !mdh.mda<8x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<1x1, f32>
  %y = mdh.view.out_view %b[#none] : !mdh.mda<1x1, f32> -> tensor<f32>
  %c = mdh.view.inp_view %x[#swapped] : (tensor<8x8xf32>) -> !mdh.mda<8x8, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.pw<max>, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<8x8, f32> -> !mdh.mda<1x1, f32>
  %z = mdh.view.out_view %d[#none] : !mdh.mda<1x1, f32> -> tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}

// The second one reads the result of the first one.
// CHECK-LABEL: @dependent
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @dependent(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %y = mdh.view.out_view %b[#row] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  %c = mdh.view.inp_view %x[#id], %y[#row] : (tensor<4x8xf32>, tensor<4xf32>) -> !mdh.mda<4x8, f32, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32, %m: f32):
    %s = arith.subf %e, %m : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<4x8, f32, f32> -> !mdh.mda<4x1, f32>
  %z = mdh.view.out_view %d[#row] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// A store between both changes what the second one reads.
// CHECK-LABEL: @overwritten
// CHECK: mdh.hom.md_hom
// CHECK: memref.store
// CHECK: mdh.hom.md_hom
func.func @overwritten(%x: memref<4x8xf32>, %y: memref<4xf32> {llvm.noalias}, %z: memref<4xf32> {llvm.noalias}, %n: f32) {
  %i = arith.constant 0 : index
  %a = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %b[#row] into %y : !mdh.mda<4x1, f32>, memref<4xf32>
  memref.store %n, %x[%i, %i] : memref<4x8xf32>
  %c = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<min>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %d[#row] into %z : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}

// On memrefs that share no memory, with initial values that are updated in place.
// CHECK-LABEL: @in_place
// CHECK: mdh.hom.md_hom %{{.*}} init(%{{.*}}, %{{.*}} : !mdh.mda<4x1, f32>, !mdh.mda<4x1, f32>) combine [#mdh.cc, #mdh.pw<[max, add]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @in_place(%x: memref<4x8xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}, %z: memref<4xf32> {llvm.noalias}) {
  %a = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %p = mdh.view.inp_view %y[#row] : (memref<4xf32>) -> !mdh.mda<4x1, f32>
  %b = mdh.hom.md_hom %a init(%p : !mdh.mda<4x1, f32>) combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %b[#row] into %y : !mdh.mda<4x1, f32>, memref<4xf32>
  %c = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %q = mdh.view.inp_view %z[#row] : (memref<4xf32>) -> !mdh.mda<4x1, f32>
  %d = mdh.hom.md_hom %c init(%q : !mdh.mda<4x1, f32>) combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %d[#row] into %z : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}

// The first one writes memory that the second one may read: two arguments may be the same.
// CHECK-LABEL: @shared
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @shared(%x: memref<4x8xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %a = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %b[#row] into %y : !mdh.mda<4x1, f32>, memref<4xf32>
  %c = mdh.view.inp_view %x[#id] : (memref<4x8xf32>) -> !mdh.mda<4x8, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<min>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  mdh.view.out_view %d[#row] into %z : !mdh.mda<4x1, f32>, memref<4xf32>
  return
}

// Two products of matrices: the common one is read once for many operations, whose accumulators need the registers.
// CHECK-LABEL: @products
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @products(%m: tensor<64x64xf32>, %p: tensor<64x64xf32>, %q: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %a = mdh.view.inp_view %m[#left], %p[#right] : (tensor<64x64xf32>, tensor<64x64xf32>) -> !mdh.mda<64x64x64, f32, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32, %f: f32):
    %s = arith.mulf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<64x64x64, f32, f32> -> !mdh.mda<64x64x1, f32>
  %y = mdh.view.out_view %b[#both] : !mdh.mda<64x64x1, f32> -> tensor<64x64xf32>
  %c = mdh.view.inp_view %m[#left], %q[#right] : (tensor<64x64xf32>, tensor<64x64xf32>) -> !mdh.mda<64x64x64, f32, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32, %f: f32):
    %s = arith.mulf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<64x64x64, f32, f32> -> !mdh.mda<64x64x1, f32>
  %z = mdh.view.out_view %d[#both] : !mdh.mda<64x64x1, f32> -> tensor<64x64xf32>
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}

// Scans with different functions.
// CHECK-LABEL: @scans
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @scans(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = mdh.view.inp_view %x[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.ps<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %y = mdh.view.out_view %b[#i] : !mdh.mda<64, f32> -> tensor<64xf32>
  %c = mdh.view.inp_view %x[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.ps<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %z = mdh.view.out_view %d[#i] : !mdh.mda<64, f32> -> tensor<64xf32>
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// The sums are computed in parts of their only reader, which reads the matrix, too; the maxima are a result.
// CHECK-LABEL: @only_reader
// CHECK-COUNT-3: mdh.hom.md_hom
func.func @only_reader(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<64x64xf32>) -> !mdh.mda<64x64, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<64x64, f32> -> !mdh.mda<64x1, f32>
  %y = mdh.view.out_view %b[#row] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  %c = mdh.view.inp_view %x[#id] : (tensor<64x64xf32>) -> !mdh.mda<64x64, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<64x64, f32> -> !mdh.mda<64x1, f32>
  %z = mdh.view.out_view %d[#row] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  %g = mdh.view.inp_view %x[#id], %y[#row] : (tensor<64x64xf32>, tensor<64xf32>) -> !mdh.mda<64x64, f32, f32>
  %h = mdh.hom.md_hom %g combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32, %f: f32):
    %s = arith.divf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<64x64, f32, f32> -> !mdh.mda<64x64, f32>
  %w = mdh.view.out_view %h[#id] : !mdh.mda<64x64, f32> -> tensor<64x64xf32>
  return %w, %z : tensor<64x64xf32>, tensor<64xf32>
}

// Operators of the program on tuples stay apart.
// CHECK-LABEL: @operators
// CHECK-COUNT-2: mdh.hom.md_hom
mdh.hom.operator @largest commutative (%a: f32, %b: f32) -> (f32) {
  %r = arith.maxnumf %a, %b : f32
  mdh.hom.yield %r : f32
}
func.func @operators(%x: tensor<64xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = mdh.view.inp_view %x[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.pw<@largest>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %b[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  %c = mdh.view.inp_view %x[#i] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.pw<@largest>] {
  ^bb0(%e: f32):
    %s = arith.negf %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<1, f32>
  %z = mdh.view.out_view %d[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}

// Extents that are dynamic are those of the same dimensions of a buffer.
// CHECK-LABEL: @dynamic
// CHECK: combine [#mdh.cc, #mdh.pw<[add, max]>]
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @dynamic(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = mdh.view.inp_view %x[#id] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %y = mdh.view.out_view %b[#row] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %c = mdh.view.inp_view %x[#id] : (tensor<?x?xf32>) -> !mdh.mda<?x?, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<?x?, f32> -> !mdh.mda<?x1, f32>
  %z = mdh.view.out_view %d[#row] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// The extents may differ: those of the second one are sizes of %v, too.
// CHECK-LABEL: @other_sizes
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @other_sizes(%x: tensor<?xf32>, %v: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = mdh.view.inp_view %x[#i] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %y = mdh.view.out_view %b[#i] : !mdh.mda<?, f32> -> tensor<?xf32>
  %c = mdh.view.inp_view %v[#i], %x[#i] : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?, f32, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc] {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %e, %f : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<?, f32, f32> -> !mdh.mda<?, f32>
  %z = mdh.view.out_view %d[#i] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// Raised siblings: the sum, the sum of squares, and the largest element of rows in one pass over the elements. The mean,
// which reads the sum, stays behind it.
// STATISTICS-LABEL: @statistics
// STATISTICS: combine [#mdh.cc, #mdh.pw<[add, add, max]>]
// STATISTICS: combine [#mdh.cc]
// STATISTICS-NOT: mdh.hom.md_hom
// STATISTICS: return
func.func @statistics(%x: tensor<30x70xf32>) -> (tensor<30xf32>, tensor<30xf32>, tensor<30xf32>) {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = arith.constant 70.0 : f32
  %rows = tensor.empty() : tensor<30xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<30xf32>) -> tensor<30xf32>
  %lowest = linalg.fill ins(%inf : f32) outs(%rows : tensor<30xf32>) -> tensor<30xf32>
  %sum = linalg.reduce ins(%x : tensor<30x70xf32>) outs(%start : tensor<30xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
  %mean = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%sum : tensor<30xf32>) outs(%rows : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %number : f32
    linalg.yield %q : f32
  } -> tensor<30xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<30x70xf32>) outs(%start : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<30xf32>
  %max = linalg.reduce ins(%x : tensor<30x70xf32>) outs(%lowest : tensor<30xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %m = arith.maximumf %a, %b : f32 linalg.yield %m : f32 }
  return %mean, %squares, %max : tensor<30xf32>, tensor<30xf32>, tensor<30xf32>
}

// Dynamic extents of a result are those of what it is computed from.
// CHECK-LABEL: @dynamic_chain
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>)
// CHECK-NEXT: mdh.view.inp_view %[[X]][{{.*}}] : (tensor<?x8xf32>) -> !mdh.mda<8x?, f32>
// CHECK-NEXT: mdh.hom.md_hom
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @dynamic_chain(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %a = mdh.view.inp_view %x[#id] : (tensor<?x8xf32>) -> !mdh.mda<?x8, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<?x8, f32> -> !mdh.mda<?x8, f32>
  %y = mdh.view.out_view %b[#id] : !mdh.mda<?x8, f32> -> tensor<?x8xf32>
  %c = mdh.view.inp_view %y[#swapped] : (tensor<?x8xf32>) -> !mdh.mda<8x?, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.addf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<8x?, f32> -> !mdh.mda<8x?, f32>
  %z = mdh.view.out_view %d[#id] : !mdh.mda<8x?, f32> -> tensor<8x?xf32>
  return %z : tensor<8x?xf32>
}

// The extent of the reader is the size of the result, which would become that of %v.
// CHECK-LABEL: @other_extent
// CHECK-COUNT-2: mdh.hom.md_hom
func.func @other_extent(%n: index, %v: tensor<?xi32>) -> tensor<?xi32> {
  %a = mdh.view.inp_view extents(%n) : () -> !mdh.mda<?>
  %b = mdh.hom.md_hom %a combine [#mdh.cc] {
    %p = mdh.hom.index 0 : index
    %s = arith.index_cast %p : index to i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<?> -> !mdh.mda<?, i32>
  %y = mdh.view.out_view %b[#i] : !mdh.mda<?, i32> -> tensor<?xi32>
  %c = mdh.view.inp_view %y[#i], %v[#i] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?, i32, i32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc] {
  ^bb0(%e: i32, %f: i32):
    %s = arith.addi %e, %f : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<?, i32, i32> -> !mdh.mda<?, i32>
  %z = mdh.view.out_view %d[#i] : !mdh.mda<?, i32> -> tensor<?xi32>
  return %z : tensor<?xi32>
}

// A bias that is copied to all points before a product becomes its initial value, and the product a new tensor.
// CHECK-LABEL: @bias
// CHECK-SAME: (%[[X:.*]]: tensor<5x6xf32>, %[[W:.*]]: tensor<6x7xf32>, %[[B:.*]]: tensor<7xf32>)
// CHECK-DAG: %[[IN:.*]] = mdh.view.inp_view %[[X]][{{.*}}], %[[W]][{{.*}}]
// CHECK-DAG: %[[INIT:.*]] = mdh.view.inp_view %[[B]][#{{[a-z0-9]*}}] : (tensor<7xf32>) -> !mdh.mda<5x7x1, f32>
// CHECK: mdh.hom.md_hom %[[IN]] init(%[[INIT]] : !mdh.mda<5x7x1, f32>)
// CHECK: mdh.view.out_view %{{[0-9]+}}[#{{[a-z0-9]*}}] : !mdh.mda<5x7x1, f32> -> tensor<5x7xf32>
// CHECK-NOT: mdh.hom.md_hom
// CHECK: return
func.func @bias(%x: tensor<5x6xf32>, %w: tensor<6x7xf32>, %b: tensor<7xf32>) -> tensor<5x7xf32> {
  %copied = mdh.view.inp_view %b[affine_map<(i, j) -> (j)>] : (tensor<7xf32>) -> !mdh.mda<5x7, f32>
  %copy = mdh.hom.md_hom %copied combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<5x7, f32> -> !mdh.mda<5x7, f32>
  %all = mdh.view.out_view %copy[affine_map<(i, j) -> (i, j)>] : !mdh.mda<5x7, f32> -> tensor<5x7xf32>
  %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, k)>], %w[affine_map<(i, j, k) -> (k, j)>] : (tensor<5x6xf32>, tensor<6x7xf32>) -> !mdh.mda<5x7x6, f32, f32>
  %init = mdh.view.inp_view %all[affine_map<(i, j, k) -> (i, j)>] : (tensor<5x7xf32>) -> !mdh.mda<5x7x1, f32>
  %h = mdh.hom.md_hom %in init(%init : !mdh.mda<5x7x1, f32>) combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    mdh.hom.yield %m : f32
  } : !mdh.mda<5x7x6, f32, f32> -> !mdh.mda<5x7x1, f32>
  %y = mdh.view.out_view %h[affine_map<(i, j, k) -> (i, j)>] into %all : !mdh.mda<5x7x1, f32>, tensor<5x7xf32> -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

// An initial value that is computed stays in its buffer, which is updated in place.
// CHECK-LABEL: @scaled_bias
// CHECK-COUNT-2: mdh.hom.md_hom
// CHECK: mdh.view.out_view {{.*}} into
func.func @scaled_bias(%x: tensor<5x6xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %read = mdh.view.inp_view %b[affine_map<(i) -> (i)>] : (tensor<5xf32>) -> !mdh.mda<5, f32>
  %scaled = mdh.hom.md_hom %read combine [#mdh.cc] {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    mdh.hom.yield %s : f32
  } : !mdh.mda<5, f32> -> !mdh.mda<5, f32>
  %all = mdh.view.out_view %scaled[affine_map<(i) -> (i)>] : !mdh.mda<5, f32> -> tensor<5xf32>
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<5x6xf32>) -> !mdh.mda<5x6, f32>
  %init = mdh.view.inp_view %all[affine_map<(i, k) -> (i)>] : (tensor<5xf32>) -> !mdh.mda<5x1, f32>
  %h = mdh.hom.md_hom %in init(%init : !mdh.mda<5x1, f32>) combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%p: f32):
    mdh.hom.yield %p : f32
  } : !mdh.mda<5x6, f32> -> !mdh.mda<5x1, f32>
  %y = mdh.view.out_view %h[affine_map<(i, k) -> (i)>] into %all : !mdh.mda<5x1, f32>, tensor<5xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// Transpositions that only move axes of size 1 are reshapes, others are copies. A tensor of rank 0 has no axes.
// CHECK-LABEL: @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<4x1x3xf32>, %[[S:.*]]: tensor<f32>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2]] : tensor<4x1x3xf32> into tensor<4x3xf32>
// CHECK: %[[MOVED:.*]] = tensor.expand_shape %[[FLAT]] {{\[\[}}0], [1, 2]] output_shape [4, 3, 1] : tensor<4x3xf32> into tensor<4x3x1xf32>
// CHECK: mdh.hom.md_hom
// CHECK: %[[COPY:.*]] = mdh.view.out_view
// CHECK: %[[ONE:.*]] = tensor.expand_shape %[[S]] [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK: return %[[MOVED]], %[[COPY]], %[[ONE]]
func.func @reshapes(%x: tensor<4x1x3xf32>, %s: tensor<f32>) -> (tensor<4x3x1xf32>, tensor<3x1x4xf32>, tensor<1x1xf32>) {
  %a = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, k, j)>] : (tensor<4x1x3xf32>) -> !mdh.mda<4x3x1, f32>
  %b = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<4x3x1, f32> -> !mdh.mda<4x3x1, f32>
  %y = mdh.view.out_view %b[affine_map<(i, j, k) -> (i, j, k)>] : !mdh.mda<4x3x1, f32> -> tensor<4x3x1xf32>
  %c = mdh.view.inp_view %x[affine_map<(i, j, k) -> (k, j, i)>] : (tensor<4x1x3xf32>) -> !mdh.mda<3x1x4, f32>
  %d = mdh.hom.md_hom %c combine [#mdh.cc, #mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<3x1x4, f32> -> !mdh.mda<3x1x4, f32>
  %z = mdh.view.out_view %d[affine_map<(i, j, k) -> (i, j, k)>] : !mdh.mda<3x1x4, f32> -> tensor<3x1x4xf32>
  %f = mdh.view.inp_view %s[affine_map<(i, j) -> ()>] : (tensor<f32>) -> !mdh.mda<1x1, f32>
  %g = mdh.hom.md_hom %f combine [#mdh.cc, #mdh.cc] {
  ^bb0(%e: f32):
    mdh.hom.yield %e : f32
  } : !mdh.mda<1x1, f32> -> !mdh.mda<1x1, f32>
  %o = mdh.view.out_view %g[affine_map<(i, j) -> (i, j)>] : !mdh.mda<1x1, f32> -> tensor<1x1xf32>
  return %y, %z, %o : tensor<4x3x1xf32>, tensor<3x1x4xf32>, tensor<1x1xf32>
}

// In a loop, what moves before a joined computation comes before it for later pairs, too: they are not joined with what they
// depend on.
// CHECK-LABEL: @in_a_loop
// CHECK: scf.for
// CHECK: mdh.hom.md_hom {{.*}} combine [#mdh.cc, #mdh.pw<max>]
// CHECK: %[[MAXIMA:.*]] = mdh.view.out_view
// CHECK: mdh.view.inp_view {{.*}}, %[[MAXIMA]]
// CHECK: mdh.hom.md_hom {{.*}} combine [#mdh.cc, #mdh.pw<[add, add]>]
func.func @in_a_loop(%x: tensor<4x8xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %e, %q = %e, %s = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
    %d = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<add>] {
    ^bb0(%e1: f32):
      mdh.hom.yield %e1 : f32
    } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
    %sums = mdh.view.out_view %d[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
    %m = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<max>] {
    ^bb0(%e1: f32):
      mdh.hom.yield %e1 : f32
    } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
    %maxima = mdh.view.out_view %m[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
    %b = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %maxima[affine_map<(i, j) -> (i)>] : (tensor<4x8xf32>, tensor<4xf32>) -> !mdh.mda<4x8, f32, f32>
    %c = mdh.hom.md_hom %b combine [#mdh.cc, #mdh.pw<add>] {
    ^bb0(%e1: f32, %f: f32):
      %g = arith.mulf %e1, %f : f32
      mdh.hom.yield %g : f32
    } : !mdh.mda<4x8, f32, f32> -> !mdh.mda<4x1, f32>
    %products = mdh.view.out_view %c[affine_map<(i, k) -> (i)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
    scf.yield %sums, %maxima, %products : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
