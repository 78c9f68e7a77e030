// A reduction of the same values again: the loop of selects between them made LLVM's recognition of checksums (CRC) take forever.
// RUN: mdh run %s --input 3 --system openmp --check | FileCheck %s
// CHECK: agrees with the reference evaluator
func.func @f(%x: tensor<8xi32>) -> tensor<f64> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (j)>] : (tensor<8xi32>) -> !mdh.mda<16x8, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<max>, #mdh.pw<max>] {
  ^bb0(%a: i32):
    %b = arith.sitofp %a : i32 to f64
    mdh.hom.yield %b : f64
  } : !mdh.mda<16x8, i32> -> !mdh.mda<1x1, f64>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> ()>] : !mdh.mda<1x1, f64> -> tensor<f64>
  return %o : tensor<f64>
}
