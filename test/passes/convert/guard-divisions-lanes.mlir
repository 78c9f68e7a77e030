// RUN: not mdh run %s --function lanes --input 1 --input 7 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not mdh run %s --function lanes --input 1 --input 7 --threads 1 --raise false 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: mdh run %s --function lanes --input 1 --input 1000 --check | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with the reference evaluator

// In a computation, on vectors and threads: one divisor of 1000 is zero.
#i = affine_map<(i) -> (i)>
func.func @lanes(%x: tensor<1000xi32>, %at: index) -> tensor<1000xi32> {
  %in = mdh.view.inp_view %x[#i] : (tensor<1000xi32>) -> !mdh.mda<1000, i32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32):
    %i = mdh.hom.index 0 : index
    %distance = arith.subi %i, %at : index
    %divisor = arith.index_cast %distance : index to i32
    // LANES: guard-divisions-lanes.mlir:[[#@LINE+1]]:10: error: division by zero
    %q = arith.divsi %a, %divisor : i32
    mdh.hom.yield %q : i32
  } : !mdh.mda<1000, i32> -> !mdh.mda<1000, i32>
  %y = mdh.view.out_view %h[#i] : !mdh.mda<1000, i32> -> tensor<1000xi32>
  return %y : tensor<1000xi32>
}
