// RUN: mdh-opt %s | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --mlir-print-op-generic | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --emit-bytecode | mdh-opt | FileCheck %s

// CHECK-DAG: #[[IK:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[I:.*]] = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: @tensors
func.func @tensors(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) {
  // CHECK: mdh.view.inp_view %{{.*}}[#[[IK]]], %{{.*}}[#[[K]]] : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  return
}

// CHECK-LABEL: @several_accesses
func.func @several_accesses(%x: memref<64xf16>, %y: memref<?xindex>) {
  // CHECK: mdh.view.inp_view %{{.*}}[#{{.*}}, #{{.*}}, #{{.*}}], %{{.*}}[#{{.*}}] : (memref<64xf16>, memref<?xindex>) -> !mdh.mda<62, f16, f16, f16, index>
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 1)>, affine_map<(i) -> (63 - i)>], %y[affine_map<(i) -> (2 * i)>] : (memref<64xf16>, memref<?xindex>) -> !mdh.mda<62, f16, f16, f16, index>
  return
}

// CHECK-LABEL: @extents
func.func @extents(%x: tensor<?x?xi1>, %p: index, %q: index) {
  // CHECK: mdh.view.inp_view %{{.*}}[#{{.*}}] extents(%{{.*}}, %{{.*}}, %{{.*}}) {note = 1 : i64} : (tensor<?x?xi1>) -> !mdh.mda<?x?x3x?, i1>
  %in = mdh.view.inp_view %x[affine_map<(p, q, r, s) -> (p + r, q + s)>] extents(%p, %q, %q) {note = 1} : (tensor<?x?xi1>) -> !mdh.mda<?x?x3x?, i1>
  return
}

// CHECK-LABEL: @no_buffers
func.func @no_buffers(%n: index) {
  // CHECK: mdh.view.inp_view extents(%{{.*}}) : () -> !mdh.mda<16x?>
  %0 = mdh.view.inp_view extents(%n) : () -> !mdh.mda<16x?>
  // CHECK: mdh.view.inp_view : () -> !mdh.mda<16x16>
  %1 = mdh.view.inp_view : () -> !mdh.mda<16x16>
  return
}

// CHECK-LABEL: @zero
func.func @zero(%x: tensor<0xf64>, %r: !mdh.mda<0x5, f64>) {
  // CHECK: !mdh.mda<0x5, f64>
  %0 = mdh.view.inp_view %x[affine_map<(i, j) -> (i)>] : (tensor<0xf64>) -> !mdh.mda<0x5, f64>
  %1 = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<0x5, f64> -> tensor<0x5xf64>
  return
}

// CHECK-LABEL: @outputs
func.func @outputs(%r: !mdh.mda<512x1, f32, f32>, %w: memref<1024xf32>, %t: tensor<512xf32>) {
  // CHECK: mdh.view.out_view %{{.*}}[#[[I]]], [#[[I]]] : !mdh.mda<512x1, f32, f32> -> tensor<512xf32>, tensor<512xf32>
  %0, %1 = mdh.view.out_view %r[affine_map<(i, k) -> (i)>], [affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32, f32> -> tensor<512xf32>, tensor<512xf32>
  // CHECK: mdh.view.out_view %{{.*}}[#{{.*}}, #{{.*}}] into %{{.*}} : !mdh.mda<512x1, f32, f32>, memref<1024xf32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i * 2)>, affine_map<(i, k) -> (i * 2 + 1)>] into %w : !mdh.mda<512x1, f32, f32>, memref<1024xf32>
  // CHECK: mdh.view.out_view %{{.*}}[#[[I]]], [#[[I]]] into %{{.*}}, %{{.*}} : !mdh.mda<512x1, f32, f32>, tensor<512xf32>, tensor<512xf32> -> tensor<512xf32>, tensor<512xf32>
  %2, %3 = mdh.view.out_view %r[affine_map<(i, k) -> (i)>], [affine_map<(i, k) -> (i)>] into %t, %t : !mdh.mda<512x1, f32, f32>, tensor<512xf32>, tensor<512xf32> -> tensor<512xf32>, tensor<512xf32>
  return
}

// CHECK-LABEL: @rank_0
func.func @rank_0(%r: !mdh.mda<1, bf16>) -> memref<bf16> {
  // CHECK: mdh.view.out_view %{{.*}}[#{{.*}}] : !mdh.mda<1, bf16> -> memref<bf16>
  %0 = mdh.view.out_view %r[affine_map<(i) -> ()>] : !mdh.mda<1, bf16> -> memref<bf16>
  return %0 : memref<bf16>
}

// Injective index functions: permutations, shifts, strides, mixed radices, and dynamic extents if the strides suffice.
// CHECK-LABEL: @injective
func.func @injective(%a: !mdh.mda<4x5x6, i8>, %b: !mdh.mda<?x5, i8>, %c: !mdh.mda<?x?, i8>) {
  // CHECK-COUNT-5: mdh.view.out_view
  %0 = mdh.view.out_view %a[affine_map<(i, j, k) -> (k, i, j)>] : !mdh.mda<4x5x6, i8> -> tensor<6x4x5xi8>
  %1 = mdh.view.out_view %a[affine_map<(i, j, k) -> (i * 30 + j * 6 + k + 1)>] : !mdh.mda<4x5x6, i8> -> tensor<121xi8>
  %2 = mdh.view.out_view %b[affine_map<(i, j) -> (5 * i + j)>] : !mdh.mda<?x5, i8> -> tensor<?xi8>
  %3 = mdh.view.out_view %c[affine_map<(i, j) -> (i + j, i)>] : !mdh.mda<?x?, i8> -> tensor<?x?xi8>
  %4 = mdh.view.out_view %a[affine_map<(i, j, k) -> (i * 7 + j * 5, k)>] : !mdh.mda<4x5x6, i8> -> tensor<42x6xi8>
  return
}
