// RUN: mdh-opt %s --mdh-expand-index | FileCheck %s --implicit-check-not=index.
// RUN: mdh run %s --function shifts --input -5 --check | FileCheck %s --check-prefix=AGREES
// RUN: mdh run %s --function shifts --input -5 | FileCheck %s --check-prefix=SHIFTS
// AGREES: agrees with the reference evaluator

// CHECK-LABEL: func.func @all
// CHECK: arith.addi
// CHECK: arith.subi
// CHECK: arith.muli
// CHECK: arith.divsi
// CHECK: arith.divui
// CHECK: arith.ceildivsi
// CHECK: arith.ceildivui
// CHECK: arith.floordivsi
// CHECK: arith.remsi
// CHECK: arith.remui
// CHECK: arith.maxsi
// CHECK: arith.maxui
// CHECK: arith.minsi
// CHECK: arith.minui
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK: arith.shrui
// CHECK: arith.andi
// CHECK: arith.ori
// CHECK: arith.xori
func.func @all(%a: index, %b: index) -> index {
  %0 = index.add %a, %b
  %1 = index.sub %0, %b
  %2 = index.mul %1, %b
  %3 = index.divs %2, %b
  %4 = index.divu %3, %b
  %5 = index.ceildivs %4, %b
  %6 = index.ceildivu %5, %b
  %7 = index.floordivs %6, %b
  %8 = index.rems %7, %b
  %9 = index.remu %8, %b
  %10 = index.maxs %9, %b
  %11 = index.maxu %10, %b
  %12 = index.mins %11, %b
  %13 = index.minu %12, %b
  %14 = index.shl %13, %b
  %15 = index.shrs %14, %b
  %16 = index.shru %15, %b
  %17 = index.and %16, %b
  %18 = index.or %17, %b
  %19 = index.xor %18, %b
  return %19 : index
}

// CHECK-LABEL: func.func @others
// CHECK-SAME: (%[[A:.*]]: index, %[[N:.*]]: i32)
func.func @others(%a: index, %n: i32) -> (index, index, i64, i64, i1, index, i1) {
  // CHECK: arith.index_cast %[[N]] : i32 to index
  %0 = index.casts %n : i32 to index
  // CHECK: arith.index_castui %[[N]] : i32 to index
  %1 = index.castu %n : i32 to index
  // CHECK: arith.index_cast %[[A]] : index to i64
  %2 = index.casts %a : index to i64
  // CHECK: arith.index_castui %[[A]] : index to i64
  %3 = index.castu %a : index to i64
  // CHECK: arith.constant 7 : index
  %seven = index.constant 7
  // CHECK: arith.cmpi sge, %[[A]], %{{.*}} : index
  %4 = index.cmp sge(%a, %seven)
  // CHECK: arith.constant 64 : index
  %5 = index.sizeof
  // CHECK: arith.constant true
  %6 = index.bool.constant true
  return %0, %1, %2, %3, %4, %5, %6 : index, index, i64, i64, i1, index, i1
}

// SHIFTS: result 1: index
// SHIFTS-NEXT: 0
// SHIFTS: result 2: index
// SHIFTS-NEXT: -1
// SHIFTS: result 3: index
// SHIFTS-NEXT: 0
func.func @shifts(%x: index) -> (index, index, index) {
  %n = index.constant 70
  %0 = index.shl %x, %n
  %1 = index.shrs %x, %n
  %2 = index.shru %x, %n
  return %0, %1, %2 : index, index, index
}
