// Operations on a batch of any number of rows: producers are computed in parts of rows.
// RUN: mdh explain %s --function softmax --machine %S/../../../examples/machines/avx512.json --threads 2 | FileCheck %s
// RUN: mdh explain %s --function dense --machine %S/../../../examples/machines/avx512.json --threads 2 | FileCheck %s --check-prefix=DENSE
// RUN: %python %S/../Inputs/arrays.py %t 70x128 1x128 0x128 70x64 64x48 48 48x32
// RUN: %against-numpy mdh run %s --function softmax --input %t0.npy --raise required --machine %S/../../../examples/machines/avx512.json --threads 2 --check
// RUN: %against-numpy mdh run %s --function softmax --input %t1.npy --raise required --machine %S/../../../examples/machines/avx512.json --threads 1 --check
// RUN: %against-numpy mdh run %s --function softmax --input %t2.npy --raise required --machine %S/../../../examples/machines/avx512.json --threads 2 --check
// RUN: %against-numpy mdh run %s --function dense --input %t3.npy --input %t4.npy --input %t5.npy --input %t6.npy --raise required --machine %S/../../../examples/machines/avx512.json --threads 2 --check

// CHECK-COUNT-3: computed in parts, at level (2, 1) of computation 4
func.func @softmax(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %i1 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x128xf32>) outs(%i1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %e2 = tensor.empty(%n) : tensor<?x128xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x128xf32>, tensor<?xf32>) outs(%e2 : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x128xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<?x128xf32>) outs(%i2 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<?x128xf32>, tensor<?xf32>) outs(%e2 : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// DENSE-COUNT-2: computed in parts, at level (2, 1) of computation 3
func.func @dense(%x: tensor<?x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>, %v: tensor<48x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x48xf32>) outs(%i : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x48xf32>, tensor<48xf32>) outs(%e : tensor<?x48xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x48xf32>
  %f = tensor.empty(%n) : tensor<?x32xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %q = linalg.matmul ins(%r, %v : tensor<?x48xf32>, tensor<48x32xf32>) outs(%j : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %q : tensor<?x32xf32>
}
