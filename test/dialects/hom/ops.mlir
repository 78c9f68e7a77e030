// RUN: mdh-opt %s | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --mlir-print-op-generic | mdh-opt | FileCheck %s
// RUN: mdh-opt %s --emit-bytecode | mdh-opt | FileCheck %s

// CHECK-LABEL: mdh.hom.operator @max_prl commutative (%{{.*}}: i64, %{{.*}}: f32, %{{.*}}: i64, %{{.*}}: f32) -> (i64, f32) {
mdh.hom.operator @max_prl commutative (%a: i64, %w: f32, %b: i64, %x: f32) -> (i64, f32) {
  %larger = arith.cmpf oge, %w, %x : f32
  %r0 = arith.select %larger, %a, %b : i64
  %r1 = arith.select %larger, %w, %x : f32
  // CHECK: mdh.hom.yield %{{.*}}, %{{.*}} : i64, f32
  mdh.hom.yield %r0, %r1 : i64, f32
  // CHECK: } identity {
} identity {
  %none = arith.constant -1 : i64
  %lowest = arith.constant 0xFF800000 : f32
  mdh.hom.yield %none, %lowest : i64, f32
}

// CHECK: mdh.hom.operator @last (%{{.*}}: index, %{{.*}}: index) -> (index) {
// CHECK-NOT: identity
mdh.hom.operator @last (%a: index, %b: index) -> (index) {
  mdh.hom.yield %b : index
}

// CHECK-LABEL: @matvec
func.func @matvec(%in: !mdh.mda<512x4096, f32, f32>) {
  // CHECK: mdh.hom.md_hom %{{.*}} combine [#mdh.cc, #mdh.pw<add>] {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
  return
}

// CHECK-LABEL: @operators
func.func @operators(%a: !mdh.mda<4x?, i64, f32>, %b: !mdh.mda<?, index>) {
  // CHECK: combine [#mdh.cc, #mdh.pw<@max_prl>] {
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<@max_prl>] {
  ^bb0(%i: i64, %w: f32):
    mdh.hom.yield %i, %w : i64, f32
  } : !mdh.mda<4x?, i64, f32> -> !mdh.mda<4x1, i64, f32>
  // CHECK: combine [#mdh.ps<[xor, max]>, #mdh.pw<[xor, max]>] {
  %1 = mdh.hom.md_hom %a combine [#mdh.ps<[xor, max]>, #mdh.pw<[xor, max]>] {
  ^bb0(%i: i64, %w: f32):
    mdh.hom.yield %i, %w : i64, f32
  } : !mdh.mda<4x?, i64, f32> -> !mdh.mda<4x1, i64, f32>
  // CHECK: combine [#mdh.ps<@last>] {
  %2 = mdh.hom.md_hom %b combine [#mdh.ps<@last>] {
  ^bb0(%i: index):
    mdh.hom.yield %i : index
  } : !mdh.mda<?, index> -> !mdh.mda<?, index>
  // CHECK: combine [#mdh.pw<mul>, #mdh.pw<min>] attributes {dimension_names = ["i", "k"], homomorphism, schedule = {version = 1 : i64}} {
  %3 = mdh.hom.md_hom %a combine [#mdh.pw<mul>, #mdh.pw<min>] attributes {homomorphism, schedule = {version = 1 : i64}, dimension_names = ["i", "k"]} {
  ^bb0(%i: i64, %w: f32):
    mdh.hom.yield %i, %w : i64, f32
  } : !mdh.mda<4x?, i64, f32> -> !mdh.mda<1x1, i64, f32>
  return
}

// CHECK-LABEL: @index
func.func @index(%in: !mdh.mda<16x16>) {
  // CHECK: mdh.hom.md_hom %{{.*}} combine [#mdh.cc, #mdh.cc] {
  %0 = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    // CHECK-NEXT: mdh.hom.index 0 : index
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %less = arith.cmpi slt, %i, %j : index
    // CHECK: scf.if
    %r = scf.if %less -> index {
      %k = mdh.hom.index 1 : index
      scf.yield %k : index
    } else {
      scf.yield %i : index
    }
    mdh.hom.yield %r : index
  } : !mdh.mda<16x16> -> !mdh.mda<16x16, index>
  return
}

// The programs published on mdh-lang.org.
func.func private @mul(%a: f32, %b: f32) -> f32 {
  %r = arith.mulf %a, %b : f32
  return %r : f32
}
func.func private @add(%a: f32, %b: f32) -> f32 {
  %r = arith.addf %a, %b : f32
  return %r : f32
}
func.func private @jacobi(%a: f32, %b: f32, %c: f32) -> f32 {
  return %a : f32
}
// CHECK-LABEL: @published
func.func @published(%M: memref<128x64xf32>, %v: memref<64xf32>) -> memref<128xf32> {
  // CHECK: mdh.compute "mdh_matvec" {inp_view = {{.*}}, md_hom = {combine_ops = ["cc", ["pw", @add]], scalar_func = @mul}, out_view = {{.*}}} {inp_types = [f32, f32], mda_size = [128{{.*}}, 64{{.*}}], out_types = [f32]} (%{{.*}}, %{{.*}}) : (memref<128x64xf32>, memref<64xf32>) -> memref<128xf32>
  %w = mdh.compute "mdh_matvec" { inp_view = [ [ affine_map<( i,k ) -> ( i,k )> ], [ affine_map<( i,k ) -> ( k )  > ] ],
    md_hom = { scalar_func = @mul, combine_ops = [ "cc", ["pw",@add] ] },
    out_view = [ [ affine_map<( i,k ) -> ( i )> ] ] }
   { inp_types = [ f32, f32 ], mda_size  = [ 128,64 ], out_types = [ f32 ] }( %M,%v ) : ( memref<128x64xf32> , memref<64xf32> ) -> memref<128xf32>
  // CHECK: mdh.compute "mdh_jacobi1d"
  %y = mdh.compute "mdh_jacobi1d" { inp_view = [ [ affine_map<( i ) -> ( i+0 )>, affine_map<( i ) -> ( i+1 )>, affine_map<( i ) -> ( i+2 )> ] ],
    md_hom = { scalar_func = @jacobi, combine_ops = [ "cc" ] },
    out_view = [ [ affine_map<( i ) -> ( i )> ] ] }
   { inp_types = [ f32 ], mda_size  = [ 62 ], out_types = [ f32 ] }( %v ) : ( memref<64xf32> ) -> (memref<62xf32>)
  return %w : memref<128xf32>
}

// Initial values: scalars and MDAs.
// CHECK-LABEL: @initial
func.func @initial(%a: tensor<16x8xf32>, %b: tensor<16xf32>, %s: f32) -> (tensor<16xf32>, tensor<16xf32>) {
  %in = mdh.view.inp_view %a[affine_map<(i, k) -> (i, k)>] : (tensor<16x8xf32>) -> !mdh.mda<16x8, f32>
  %c = mdh.view.inp_view %b[affine_map<(i, k) -> (i)>] : (tensor<16xf32>) -> !mdh.mda<16x1, f32>
  // CHECK: mdh.hom.md_hom %{{.*}} init(%{{.*}}, %{{.*}} : !mdh.mda<16x1, f32>, f32) combine [#mdh.cc, #mdh.pw<[add, max]>] {
  %r = mdh.hom.md_hom %in init(%c, %s : !mdh.mda<16x1, f32>, f32) combine [#mdh.cc, #mdh.pw<[add, max]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<16x8, f32> -> !mdh.mda<16x1, f32, f32>
  %v, %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>], [affine_map<(i, k) -> (i)>] : !mdh.mda<16x1, f32, f32> -> tensor<16xf32>, tensor<16xf32>
  return %v, %w : tensor<16xf32>, tensor<16xf32>
}
