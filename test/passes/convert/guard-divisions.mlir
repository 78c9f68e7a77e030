// RUN: mdh-opt %s --mdh-guard-divisions | FileCheck %s
// RUN: not mdh run %s --function quotients --input 7 --input 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mdh run %s --function quotients --input=-32768 --input=-1 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: mdh run %s --function quotients --input=-32768 --input 5 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function powers --input 0 --input=-1 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: mdh run %s --function powers --input=-1 --input=-3 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function by_zero --input 7 2>&1 | FileCheck %s --check-prefix=CONSTANT
// AGREES: agrees with the reference evaluator

// CHECK-LABEL: func.func @quotients
// CHECK-SAME: (%[[A:.*]]: i16, %[[B:.*]]: i16)
func.func @quotients(%a: i16, %b: i16) -> (i16, i16, i16, i16, i16, i16, i16) {
  // CHECK: %[[NIL:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i16
  // CHECK: %[[BAD:.*]] = arith.ori %[[NIL]], %{{.*}} : i1
  // CHECK: scf.if %[[BAD]] {
  // CHECK:   cf.assert %{{.*}}, "mdh check: {{.*}}guard-divisions.mlir:[[#@LINE+5]]:8: error: division by zero"
  // CHECK:   cf.assert %{{.*}}, "{{.*}}error: signed division of -32768 by -1 leaves i16"
  // CHECK: arith.divsi %[[A]], %[[B]] : i16
  // ZERO: guard-divisions.mlir:[[#@LINE+2]]:8: error: division by zero
  // LEAST: guard-divisions.mlir:[[#@LINE+1]]:8: error: signed division of -32768 by -1 leaves i16
  %0 = arith.divsi %a, %b : i16
  // CHECK: signed division
  // CHECK: arith.floordivsi
  %1 = arith.floordivsi %a, %b : i16
  // CHECK: signed division
  // CHECK: arith.ceildivsi
  %2 = arith.ceildivsi %a, %b : i16
  // CHECK-NOT: signed division
  // CHECK: division by zero
  // CHECK: arith.divui
  %3 = arith.divui %a, %b : i16
  // CHECK: division by zero
  // CHECK: arith.ceildivui
  %4 = arith.ceildivui %a, %b : i16
  // CHECK: division by zero
  // CHECK: arith.remui
  %5 = arith.remui %a, %b : i16
  // CHECK: division by zero
  // CHECK: arith.remsi
  %6 = arith.remsi %a, %b : i16
  return %0, %1, %2, %3, %4, %5, %6 : i16, i16, i16, i16, i16, i16, i16
}

// CHECK-LABEL: func.func @powers
// CHECK: division by zero
// CHECK: math.ipowi
func.func @powers(%a: i64, %b: i64) -> i64 {
  // POWER: guard-divisions.mlir:[[#@LINE+1]]:8: error: division by zero
  %0 = math.ipowi %a, %b : i64
  return %0 : i64
}

// What is known to be defined needs no check.
// CHECK-LABEL: func.func @known
// CHECK-NOT: cf.assert
// CHECK: return
func.func @known(%a: i64, %i: index, %v: vector<4xi8>, %b: i1) -> (i64, index, vector<4xi8>, i64, i64) {
  %seven = arith.constant 7 : i64
  %two = arith.constant 2 : index
  %divisors = arith.constant dense<[1, 2, -3, 4]> : vector<4xi8>
  %0 = arith.divsi %a, %seven : i64
  %1 = arith.floordivsi %i, %two : index
  %2 = arith.divsi %v, %divisors : vector<4xi8>
  %3 = arith.remui %a, %seven : i64
  %4 = math.ipowi %a, %seven : i64
  return %0, %1, %2, %3, %4 : i64, index, vector<4xi8>, i64, i64
}

func.func @by_zero(%a: index) -> index {
  %zero = arith.constant 0 : index
  // CONSTANT: guard-divisions.mlir:[[#@LINE+1]]:8: error: division by zero
  %0 = arith.remui %a, %zero : index
  return %0 : index
}

// All lanes at once.
// CHECK-LABEL: func.func @vectors
func.func @vectors(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<2x4xi8>) -> (vector<8xi32>, vector<2x4xi8>) {
  // CHECK: %[[NIL:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : vector<8xi32>
  // CHECK: vector.reduction <or>, %[[NIL]] : vector<8xi1> into i1
  // CHECK: arith.divui
  %0 = arith.divui %a, %b : vector<8xi32>
  // CHECK: vector.shape_cast %{{.*}} : vector<2x4xi1> to vector<8xi1>
  // CHECK: arith.remui
  %1 = arith.remui %c, %c : vector<2x4xi8>
  return %0, %1 : vector<8xi32>, vector<2x4xi8>
}

// A kernel has no errors.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @kernel
  // CHECK-NOT: cf.assert
  gpu.func @kernel(%a: i32, %b: i32) -> (i32, i32) {
    // CHECK: %[[DIVISOR:.*]] = arith.select
    // CHECK: %[[OTHER:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DIVISOR]] : i32
    // CHECK: %[[Q:.*]] = arith.divsi %{{.*}}, %[[OTHER]] : i32
    // CHECK: arith.select %{{.*}}, %{{.*}}, %[[Q]] : i32
    %0 = arith.divsi %a, %b : i32
    // CHECK: %[[R:.*]] = arith.remui
    // CHECK: arith.select %{{.*}}, %{{.*}}, %[[R]] : i32
    %1 = arith.remui %a, %b : i32
    gpu.return %0, %1 : i32, i32
  }
}
