// Where vectors are as long as a line of the caches, a tile of several vectors in a row reads neighbors along it from the
// lanes of its other vectors, which a tile of one vector in each row does not have.
// RUN: mdh-opt %s --mdh-schedule="machine=%S/../../../examples/machines/avx512.json threads=1" | FileCheck %s
// CHECK: parts = {{.*}}, array<i64: 4, 2>, array<i64: 1, 8>], system
#at = affine_map<(i, j) -> (i + 1, j + 1)>
#left = affine_map<(i, j) -> (i + 1, j)>
#right = affine_map<(i, j) -> (i + 1, j + 2)>
#up = affine_map<(i, j) -> (i, j + 1)>
#down = affine_map<(i, j) -> (i + 2, j + 1)>
#inside = affine_map<(i, j) -> (i, j)>
func.func @jacobi(%n: index, %m: index, %x: memref<?x?xf64>, %y: memref<?x?xf64>) {
  %in = mdh.view.inp_view %x[#at, #left, #right, #up, #down] extents(%n, %m) : (memref<?x?xf64>) -> !mdh.mda<?x?, f64, f64, f64, f64, f64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f64, %b: f64, %c: f64, %d: f64, %e: f64):
    %s = arith.addf %a, %b : f64
    %t = arith.addf %s, %c : f64
    %u = arith.addf %t, %d : f64
    %v = arith.addf %u, %e : f64
    mdh.hom.yield %v : f64
  } : !mdh.mda<?x?, f64, f64, f64, f64, f64> -> !mdh.mda<?x?, f64>
  mdh.view.out_view %r[#inside] into %y : !mdh.mda<?x?, f64>, memref<?x?xf64>
  return
}
