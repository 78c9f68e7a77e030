// Structured operations of linalg: named and generic ones, with fills, indices, broadcasts and windows.
// RUN: mdh-opt %s --mdh-raise | FileCheck %s
// RUN: mdh run %s --function maximum_without_index --input 0.3 --input 2 --raise required --check
// RUN: mdh run %s --function matmul --input 0.3 --input 0.7 --raise required --check
// RUN: mdh run %s --function rowmax --input 0.3 --raise required --check
// RUN: mdh run %s --function conv --input 0.3 --input 0.7 --raise required --check
// RUN: mdh run %s --function pool --input 0.3 --raise required --check
// RUN: mdh run %s --function transpose --input 0.3 --raise required --check
// RUN: mdh run %s --function broadcast --input 0.3 --raise required --check
// RUN: mdh run %s --function scalar --input 0.3 --input 0.7 --raise required --check
// RUN: mdh run %s --function exponential --input 0.3 --raise required --check
// RUN: mdh run %s --function index --input 0.3 --raise required --check

// CHECK-LABEL: @matmul
// CHECK: %[[IN:.*]] = mdh.view.inp_view %{{.*}}[#{{.*}}], %{{.*}}[#{{.*}}] : (tensor<64x96xf32>, tensor<96x80xf32>) -> !mdh.mda<64x80x96, f32, f32>
// CHECK: mdh.hom.md_hom %[[IN]] init(%{{.*}} : f32) combine [#mdh.cc, #mdh.cc, #mdh.pw<[add]>] attributes {mdh.raised} {
// CHECK: mdh.view.out_view %{{.*}}[#{{.*}}] : !mdh.mda<64x80x1, f32> -> tensor<64x80xf32>
// CHECK-NOT: linalg
func.func @matmul(%A: tensor<64x96xf32>, %B: tensor<96x80xf32>) -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x80xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x80xf32>) -> tensor<64x80xf32>
  %r = linalg.matmul ins(%A, %B : tensor<64x96xf32>, tensor<96x80xf32>) outs(%f : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// CHECK-LABEL: @bias_relu
// CHECK: combine [#mdh.cc, #mdh.cc] attributes {mdh.raised} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: arith.maximumf %[[S]], %
func.func @bias_relu(%A: tensor<?x80xf32>, %b: tensor<80xf32>) -> tensor<?x80xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x80xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x80xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%A, %b : tensor<?x80xf32>, tensor<80xf32>) outs(%e : tensor<?x80xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x80xf32>
  return %r : tensor<?x80xf32>
}

// The identity needs no initial value.
// CHECK-LABEL: @rowmax
// CHECK: mdh.hom.md_hom %{{[^ ]*}} combine [#mdh.cc, #mdh.pw<[max]>]
func.func @rowmax(%A: tensor<33x80xf32>) -> tensor<33xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%inf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.reduce ins(%A : tensor<33x80xf32>) outs(%f : tensor<33xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %m = arith.maximumf %a, %b : f32 linalg.yield %m : f32 }
  return %r : tensor<33xf32>
}

// CHECK-LABEL: @conv
// CHECK: mdh.view.inp_view {{.*}} -> !mdh.mda<1x9x9x8x3x3x3, f32, f32>
// CHECK: combine [#mdh.cc, #mdh.cc, #mdh.cc, #mdh.cc, #mdh.pw<[add]>, #mdh.pw<[add]>, #mdh.pw<[add]>]
func.func @conv(%x: tensor<1x20x20x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<1x9x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x9x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x9x8xf32>) -> tensor<1x9x9x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x20x20x3xf32>, tensor<3x3x3x8xf32>) outs(%f : tensor<1x9x9x8xf32>) -> tensor<1x9x9x8xf32>
  return %r : tensor<1x9x9x8xf32>
}

// A result that nothing uses is left out, with everything that only it needs: the indices of maxima.
// CHECK-LABEL: @maximum_without_index
// CHECK: mdh.view.inp_view %{{[^ ]*}}[#{{[^ ]*}}] : (tensor<33x80xf32>) -> !mdh.mda<33x80, f32>
// CHECK-NEXT: mdh.hom.md_hom %{{[^ ]*}} combine [#mdh.cc, #mdh.pw<[max]>]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: mdh.hom.yield %[[X]] : f32
func.func @maximum_without_index(%x: tensor<33x80xf32>, %k: tensor<80xi64>) -> tensor<33xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<33xf32>
  %i = tensor.empty() : tensor<33xi64>
  %f = linalg.fill ins(%inf : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %g = linalg.fill ins(%zero : i64) outs(%i : tensor<33xi64>) -> tensor<33xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %k : tensor<33x80xf32>, tensor<80xi64>) outs(%f, %g : tensor<33xf32>, tensor<33xi64>) {
  ^bb0(%a: f32, %j: i64, %m: f32, %n: i64):
    %max = arith.maximumf %a, %m : f32
    %more = arith.cmpf ogt, %a, %m : f32
    %where = arith.select %more, %j, %n : i64
    linalg.yield %max, %where : f32, i64
  } -> (tensor<33xf32>, tensor<33xi64>)
  return %r#0 : tensor<33xf32>
}

// The window is no input: only its sizes count.
// CHECK-LABEL: @pool
// CHECK: mdh.view.inp_view %{{[^ ]*}}[#{{[^ ]*}}] : (tensor<1x8x20x20xf32>) -> !mdh.mda<1x8x9x9x3x3, f32>
func.func @pool(%x: tensor<1x8x20x20xf32>) -> tensor<1x8x9x9xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x8x9x9xf32>
  %f = linalg.fill ins(%inf : f32) outs(%e : tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x20x20xf32>, tensor<3x3xf32>) outs(%f : tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  return %r : tensor<1x8x9x9xf32>
}

// CHECK-LABEL: @transpose
// CHECK: mdh.view.inp_view {{.*}} -> !mdh.mda<7x5, f32>
func.func @transpose(%x: tensor<5x7xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %r = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  return %r : tensor<7x5xf32>
}

// CHECK-LABEL: @broadcast
// CHECK: mdh.view.inp_view {{.*}} -> !mdh.mda<7x5, f32>
func.func @broadcast(%x: tensor<7xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %r = linalg.broadcast ins(%x : tensor<7xf32>) outs(%e : tensor<7x5xf32>) dimensions = [1]
  return %r : tensor<7x5xf32>
}

// Memref arguments may share memory, unless they are marked; results that start with their contents are updated in place.
// CHECK-LABEL: @accumulate
// CHECK: %[[C:.*]] = mdh.view.inp_view %[[S:[^ ]*]][#{{[^ ]*}}] : (memref<8xf32>) -> !mdh.mda<8x1, f32>
// CHECK: init(%[[C]] : !mdh.mda<8x1, f32>)
// CHECK: arith.negf
// CHECK: mdh.view.out_view {{.*}} into %[[S]] : !mdh.mda<8x1, f32>, memref<8xf32>
func.func @accumulate(%A: memref<8x9xf32>, %s: memref<8xf32> {llvm.noalias}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%A : memref<8x9xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.subf %o, %x : f32
    linalg.yield %d : f32
  }
  return
}

// Without iterators there is one point.
// CHECK-LABEL: @scalar
// CHECK: mdh.view.inp_view {{.*}} -> !mdh.mda<1, f32, f32>
func.func @scalar(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.add ins(%x, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// An input that is the output, too, is updated only if the caller allows it.
// CHECK-LABEL: @exponential
// CHECK: math.exp
// CHECK: mdh.view.out_view {{[^ ]*}} : !mdh.mda<100, f32> -> tensor<100xf32>
func.func @exponential(%x: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.exp ins(%x : tensor<100xf32>) outs(%x : tensor<100xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK-LABEL: @updated
// CHECK: math.exp
// CHECK: into %
func.func @updated(%x: tensor<100xf32> {bufferization.writable = true}) -> tensor<100xf32> {
  %r = linalg.exp ins(%x : tensor<100xf32>) outs(%x : tensor<100xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// An output that the region reads is an input, too.
// CHECK-LABEL: @index
// CHECK: mdh.view.inp_view %[[X:[^ ]*]][
// CHECK: mdh.hom.index 0 : index
// CHECK: mdh.view.out_view {{.*}} into %[[X]] :
func.func @index(%x: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<100xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.mulf %o, %f : f32
    linalg.yield %s : f32
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}
