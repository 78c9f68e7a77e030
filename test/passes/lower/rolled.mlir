// Innermost loops over dynamic extents whose values fill the vector registers are not unrolled by LLVM.
// RUN: sed 's/= REGISTERS/= 16/' %s | mdh-opt --lower-mdh="threads=1 stop-after=loops" | FileCheck %s --check-prefixes=CHECK,FULL
// RUN: sed 's/= REGISTERS/= 32/' %s | mdh-opt --lower-mdh="threads=1 stop-after=loops" | FileCheck %s --check-prefixes=CHECK,FREE

// FULL: #[[UNROLL:.*]] = #llvm.loop_unroll<count = 1 : i32>
// FULL: #[[ROLLED:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// FREE-NOT: llvm.loop_unroll
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"mdh.vector_bits" = 256 : i64, "mdh.vector_registers" = REGISTERS : i64>>} {

// 4 x 3 accumulators, 3 vectors and a broadcast.
mdh.lowlevel.schedule @dynamic on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [4]
  %j1, %j2, %j3 = mdh.lowlevel.tile %j by [3, 8]
  mdh.lowlevel.interchange %i1, %j1, %k, %i2, %j2, %j3
  mdh.lowlevel.unroll %i2
  mdh.lowlevel.unroll %j2
  mdh.lowlevel.vectorize %j3
}
// CHECK-LABEL: func.func @dynamic
// CHECK:       scf.for {{.*}} iter_args
// CHECK-COUNT-12: arith.addf
// FULL:        } {llvm.loop_annotation = #[[ROLLED]]}
func.func @dynamic(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> !mdh.mda<?x?x?, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x?x?, f32, f32> -> !mdh.mda<?x?x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<?x?x1, f32> -> tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}

// A constant number of iterations is unrolled without iterations that are left over.
mdh.lowlevel.schedule @static on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [4]
  %j1, %j2, %j3 = mdh.lowlevel.tile %j by [3, 8]
  mdh.lowlevel.interchange %i1, %j1, %k, %i2, %j2, %j3
  mdh.lowlevel.unroll %i2
  mdh.lowlevel.unroll %j2
  mdh.lowlevel.vectorize %j3
}
// CHECK-LABEL: func.func @static
// CHECK-NOT:   llvm.loop_annotation
func.func @static(%A: tensor<64x512xf32>, %B: tensor<512x96xf32>) -> tensor<64x96xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<64x512xf32>, tensor<512x96xf32>) -> !mdh.mda<64x96x512, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x96x512, f32, f32> -> !mdh.mda<64x96x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<64x96x1, f32> -> tensor<64x96xf32>
  return %w : tensor<64x96xf32>
}
}
