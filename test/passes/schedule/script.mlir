// Schedules as scripts: the loops after each command, and the schedules that they make.
// RUN: mdh-opt %s --mdh-schedule=print-script -o %t.mlir 2> %t.txt
// RUN: FileCheck %s --check-prefix=LOOPS < %t.txt
// RUN: FileCheck %s < %t.mlir
// In a pipeline of functions, too: scripts are erased at the end.
// RUN: mdh-opt %s --pass-pipeline="builtin.module(any(mdh-schedule),mdh-declare-systems)" | FileCheck %s
// RUN: mdh-opt %s --lower-mdh="stop-after=schedule" | FileCheck %s
// RUN: mdh-opt %s --pass-pipeline="builtin.module(func.func(mdh-schedule))" | FileCheck %s --check-prefix=KEPT
// A change of the schedule of a script, and a file for a computation that has a script.
// RUN: mdh-opt %s --mdh-schedule="set={schedules.scan[0].parts[0][0]=4;schedules.scan[0].parts[4][0]=4}" | FileCheck %s --check-prefix=SET
// RUN: not mdh-opt %s --mdh-schedule=file=%S/Inputs/script.json 2>&1 | FileCheck %s --check-prefix=BOTH

// KEPT: mdh.lowlevel.schedule @matmul on @cpu {
// BOTH: script.mlir:[[@LINE+22]]:1: error: 'mdh.lowlevel.schedule' op requires one schedule for a computation, but {{.*}}script.json has one for computation 1 of @scan, too

// LOOPS: @matmul, computation 1, on @cpu: x 64 · y 96 · z 128
// LOOPS-NEXT: {{^}}  tile: x 8 · x 8 · y 96 · z 128
// LOOPS-NEXT: {{^}}  tile: x 8 · x 8 · y 2 · y 3 · y 16 · z 128
// LOOPS-NEXT: {{^}}  interchange: x 8 · y 2 · z 128 · x 8 · y 3 · y 16
// LOOPS-NEXT: {{^}}  interchange: x 8 · y 2 · x 8 · y 3 · y 16 · z 128
// LOOPS-NEXT: {{^}}  parallelize: threads x 8 · y 2 · x 8 · y 3 · y 16 · z 128
// LOOPS-NEXT: {{^}}  unroll: threads x 8 · y 2 · registers x 8 · y 3 · y 16 · z 128
// LOOPS-NEXT: {{^}}  sequentialize: threads x 8 · y 2 · registers x 8 · L3 y 3 · y 16 · z 128
// LOOPS-NEXT: {{^}}  vectorize: threads x 8 · y 2 · registers x 8 · L3 y 3 · vector y 16 · z 128
// LOOPS-NEXT: {{^}}  cache: threads x 8 · [input 2 in L2[1, 2]] · y 2 · registers x 8 · L3 y 3 · vector y 16 · z 128
// LOOPS-NEXT: {{^}}  layout: threads x 8 · [input 2 in L2[1, 2]] · [input 2 in L2[2, 1, 2]] · y 2 · registers x 8 · L3 y 3 · vector y 16 · z 128

// CHECK-NOT: mdh.lowlevel.schedule
// CHECK: schedule = {decompose = {{.*}} parts = [array<i64: 8, 1, 1>, array<i64: 1, 2, 1>, array<i64: 1, 3, 1>, array<i64: 1, 1, 1>, array<i64: 1, 1, 128>, array<i64: 8, 1, 1>, array<i64: 1, 16, 1>], {{.*}}system = @cpu}

// LOOPS: @scan, computation 1, on @cpu: x 64
// LOOPS-NEXT: {{^}}  tile: x 4 · x 16
// LOOPS-NEXT: {{^}}  interchange: decompose x 4 · x 16; scalar x 16 · x 4; recompose x 4 · x 16
// CHECK: schedule = {decompose = {{.*}} parts = [array<i64: 1>, array<i64: 1>, array<i64: 1>, array<i64: 4>, array<i64: 16>, array<i64: 1>, array<i64: 1>], scalar = {order = {{.*}} system = @cpu}
// SET: schedule = {decompose = {{.*}} parts = [array<i64: 4>, array<i64: 1>, array<i64: 1>, array<i64: 4>, array<i64: 4>, array<i64: 1>, array<i64: 1>]
mdh.lowlevel.schedule @scan {
^bb0(%i: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [16]
  mdh.lowlevel.interchange %i2, %i1 phase scalar
}

mdh.lowlevel.schedule @matmul on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  %j1, %j2, %j3 = mdh.lowlevel.tile %j by [3, 16]
  mdh.lowlevel.interchange %i1, %j1, %k, %i2, %j2, %j3
  mdh.lowlevel.interchange %i2, %j2, %j3, %k
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.unroll %i2
  mdh.lowlevel.sequentialize %j2 on L3
  mdh.lowlevel.vectorize %j3
  mdh.lowlevel.cache input 2 in L2 at %j1
  mdh.lowlevel.layout input 2 [2, 1, 2] at %j1
}

func.func @matmul(%A: tensor<64x128xf32>, %B: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>]
      : (tensor<64x128xf32>, tensor<128x96xf32>) -> !mdh.mda<64x96x128, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x96x128, f32, f32> -> !mdh.mda<64x96x1, f32>
  %c = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<64x96x1, f32> -> tensor<64x96xf32>
  return %c : tensor<64x96xf32>
}

func.func @scan(%x: tensor<64xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<64, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// The schedule in the program wins over the script.
mdh.lowlevel.schedule @own on @cpu {
^bb0(%i: !mdh.loop):
  mdh.lowlevel.parallelize %i
}
// CHECK: schedule = {decompose = {tags = {{.*}}, parts = [array<i64: 16>, array<i64: 4>, array<i64: 1>, array<i64: 1>], system = @openmp}
func.func @own(%x: tensor<64xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @openmp, parts = [[16], [4], [1], [1]],
      decompose = {tags = [["MM,x"], ["COR,x"], ["L2,x"], ["L1,x"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<64, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}
