// Several threads reduce a value, and one of them writes it to the destination. Others read it there as the prefix of the next part of
// the scan, so all threads wait at a barrier before.
// RUN: mdh compile %s --target cuda --schedule %S/Inputs/scan-of-reductions.json --emit loops | FileCheck %s

// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[OUT:.*]][%{{.*}}] {alignment = 16 : i64} : memref<32xi64>
// CHECK-NOT: memref.load %[[OUT]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[OUT]]
func.func @program(%x: tensor<1xi1>, %o: tensor<32xi64>) -> tensor<32xi64> {
  %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (0)>] : (tensor<1xi1>) -> !mdh.mda<6x2x2, i1>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%a: i1):
    %one = arith.constant 1 : i64
    mdh.hom.yield %one : i64
  } : !mdh.mda<6x2x2, i1> -> !mdh.mda<6x1x1, i64>
  %r = mdh.view.out_view %res[affine_map<(i, j, k) -> (4 * i)>] into %o : !mdh.mda<6x1x1, i64>, tensor<32xi64> -> tensor<32xi64>
  return %r : tensor<32xi64>
}
