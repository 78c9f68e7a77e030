// Functions that call themselves are not inlined; their operations are raised.
// RUN: %against-numpy mdh run %s --function twelve_times --input 0.5 --raise required --check | FileCheck %s
// RUN: mdh-opt --mdh-raise=required=true %s | FileCheck %s --check-prefix=RAISED
// CHECK: agrees with the reference evaluator
// RAISED-LABEL: func.func private @increase(
// RAISED: mdh.hom.md_hom
// RAISED: call @increase_less(
// RAISED-LABEL: func.func @twelve_times(
// RAISED: call @increase(
func.func private @increase(%x: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %more = arith.cmpi sgt, %n, %zero : index
  scf.if %more {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
    ^bb0(%value: f32):
      %one = arith.constant 1.0 : f32
      %sum = arith.addf %value, %one : f32
      linalg.yield %sum : f32
    }
    func.call @increase_less(%x, %n) : (memref<8xf32>, index) -> ()
  }
  return
}

func.func private @increase_less(%x: memref<8xf32>, %n: index) {
  %one = arith.constant 1 : index
  %less = arith.subi %n, %one : index
  func.call @increase(%x, %less) : (memref<8xf32>, index) -> ()
  return
}

func.func @twelve_times(%x: memref<8xf32>) {
  %n = arith.constant 12 : index
  call @increase(%x, %n) : (memref<8xf32>, index) -> ()
  return
}
