// A tensor is a value: the caller's array is never written, an argument that is only read is not copied, and neither is a destination
// whose elements are all overwritten. A tensor that the caller allows a function to write is updated in place.
// RUN: mdh compile %s --emit deallocate --system openmp --raise false | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.copy --implicit-check-not=bufferization.clone
// RUN: mdh-opt %s --mdh-function-interfaces | FileCheck %s --check-prefix=NOTED

#rows = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %{{.*}}: memref<4xf32>)
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[W]]
// CHECK: return %[[W]]
func.func @overwritten(%A: tensor<4x8xf32>, %C: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %res[#row] into %C : !mdh.mda<4x1, f32>, tensor<4xf32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}

// Two accesses together cover all elements.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %{{.*}}: memref<8xf32>)
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<8xf32>
// CHECK: return %[[W]]
func.func @halves(%A: tensor<4xf32>, %C: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    mdh.hom.yield %a, %b : f32, f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32, f32>
  %w = mdh.view.out_view %res[affine_map<(i) -> (2 * i)>, affine_map<(i) -> (2 * i + 1)>] into %C
      : !mdh.mda<4, f32, f32>, tensor<8xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// Every second element keeps its value, so only the destination is copied.
// CHECK-LABEL: func.func @part(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %[[C:.*]]: memref<8xf32>)
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<8xf32>
// CHECK: memref.copy %[[C]], %[[W]]
// CHECK: memref.load %[[A]]
// CHECK: return %[[W]]
func.func @part(%A: tensor<4x8xf32>, %C: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (2 * i)>] into %C : !mdh.mda<4x1, f32>, tensor<8xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// For dynamic extents, this is decided when the function is called.
// CHECK-LABEL: func.func @open(
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32>, %[[C:.*]]: memref<?xf32>)
// CHECK: %[[W:.*]] = memref.alloc({{.*}}: memref<?xf32>
// CHECK: %[[ALL:.*]] = arith.andi
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %[[C]], %[[W]]
// CHECK-NEXT: }
// CHECK: return %[[W]]
func.func @open(%A: tensor<?x8xf32>, %C: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<?x8xf32>) -> !mdh.mda<?x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x8, f32> -> !mdh.mda<?x1, f32>
  %w = mdh.view.out_view %res[#row] into %C : !mdh.mda<?x1, f32>, tensor<?xf32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %[[C:.*]]: memref<4xf32>)
// CHECK-SAME: {llvm.emit_c_interface}
// CHECK: memref.store %{{.*}}, %[[C]]
// CHECK: return %[[C]]
// NOTED: func.func @in_place(
// NOTED-SAME: mdh.in_place = array<i64: 1>
func.func @in_place(%A: tensor<4x8xf32>, %C: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %w = mdh.view.out_view %res[#row] into %C : !mdh.mda<4x1, f32>, tensor<4xf32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}

// The inputs are the caller's, and %C is only read.
// CHECK-LABEL: func.func @linalg(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8x4xf32>, %[[C:.*]]: memref<4x4xf32>)
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<4x4xf32>
// CHECK: memref.copy %[[C]], %[[W]]
// CHECK: linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[W]]
// CHECK: return %[[W]]
func.func @linalg(%A: tensor<4x8xf32>, %B: tensor<8x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<8x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}

// Operations between a view and its use do not require a copy, either.
// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>)
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<8xf32>
// CHECK: linalg.fill
// CHECK: memref.load %[[A]]
// CHECK: return %[[W]]
func.func @between(%A: tensor<4x8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[#rows] : (tensor<4x8xf32>) -> !mdh.mda<4x8, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4x8, f32> -> !mdh.mda<4x1, f32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %w = mdh.view.out_view %res[affine_map<(i, k) -> (2 * i)>] into %init : !mdh.mda<4x1, f32>, tensor<8xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}
