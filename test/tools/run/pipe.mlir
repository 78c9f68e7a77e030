// A schedule from a pipe is read once.
// RUN: mdh explain %s --export %t.json
// RUN: cat %t.json | mdh run %s --schedule /dev/stdin --threads 2 --check | FileCheck %s
// CHECK: agrees with the reference evaluator
func.func @iota() -> tensor<512xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<512>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<512> -> !mdh.mda<512, i64>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<512, i64> -> tensor<512xi64>
  return %o : tensor<512xi64>
}
