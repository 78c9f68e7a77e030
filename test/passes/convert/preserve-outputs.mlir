// RUN: mdh-opt %s --mdh-preserve-outputs | FileCheck %s
// RUN: mdh-opt %s --mdh-preserve-outputs --canonicalize | FileCheck %s --check-prefix=REMOVED
// REMOVED-NOT: arith.select

#id = affine_map<(i) -> (i)>
#even = affine_map<(i) -> (2 * i)>
#diagonal = affine_map<(i) -> (i, i)>
#first = affine_map<(i) -> (0, i)>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Each of these outputs keeps elements: those with odd indices, those apart from the diagonal, the other row.
// CHECK-LABEL: func.func @partial
// CHECK-SAME: %[[E:[a-z0-9]+]]: tensor<8xf32>, %[[D:[a-z0-9]+]]: tensor<4x4xi8>, %[[R:[a-z0-9]+]]: tensor<2x4xindex>
// CHECK: ^bb0(%{{.*}}: f32, %[[A:.*]]: f32, %[[B:.*]]: i8, %[[C:.*]]: index):
// CHECK-DAG: arith.select %{{.*}}, %[[A]], %[[A]] : f32
// CHECK-DAG: arith.select %{{.*}}, %[[B]], %[[B]] : i8
// CHECK-DAG: arith.select %{{.*}}, %[[C]], %[[C]] : index
// CHECK: linalg.yield
func.func @partial(%x: tensor<4xf32>, %e: tensor<8xf32>, %d: tensor<4x4xi8>, %r: tensor<2x4xindex>) -> (tensor<8xf32>, tensor<4x4xi8>, tensor<2x4xindex>) {
  %one = arith.constant 1 : i8
  %y:3 = linalg.generic {indexing_maps = [#id, #even, #diagonal, #first], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e, %d, %r : tensor<8xf32>, tensor<4x4xi8>, tensor<2x4xindex>) {
  ^bb0(%a: f32, %o0: f32, %o1: i8, %o2: index):
    %i = linalg.index 0 : index
    linalg.yield %a, %one, %i : f32, i8, index
  } -> (tensor<8xf32>, tensor<4x4xi8>, tensor<2x4xindex>)
  return %y#0, %y#1, %y#2 : tensor<8xf32>, tensor<4x4xi8>, tensor<2x4xindex>
}

// These are written as a whole, or read anyway.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: arith.select
func.func @whole(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<1x4xf32>, %w: tensor<4xf32>, %e: tensor<8xf32>) -> (tensor<?xf32>, tensor<1x4xf32>, tensor<8xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%z : tensor<1x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<1x4xf32>
  %c = linalg.generic {indexing_maps = [#id, #even], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<1x4xf32>, tensor<8xf32>
}

// Nothing is written if there is no column, and the last column otherwise.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
func.func @columns(%x: tensor<4x?xf32>, %y: tensor<4xf32>, %z: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<4x3xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Only a map that reads its output is replaced. Memrefs are written in place.
// CHECK-LABEL: func.func @maps
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x?xi32>) outs(%{{.*}} : tensor<2x?xi32>)
// CHECK: linalg.map
// CHECK: linalg.map
func.func @maps(%x: tensor<2x?xi32>, %y: tensor<2x?xi32>, %m: memref<4xi32>) -> (tensor<2x?xi32>, tensor<2x?xi32>) {
  %a = linalg.map ins(%x : tensor<2x?xi32>) outs(%y : tensor<2x?xi32>) (%v: i32, %o: i32) {
    %s = arith.addi %v, %o : i32
    linalg.yield %s : i32
  }
  %b = linalg.map { math.absi } ins(%x : tensor<2x?xi32>) outs(%y : tensor<2x?xi32>)
  linalg.map ins(%m : memref<4xi32>) outs(%m : memref<4xi32>) (%v: i32, %o: i32) {
    %s = arith.muli %v, %o : i32
    linalg.yield %s : i32
  }
  return %a, %b : tensor<2x?xi32>, tensor<2x?xi32>
}

// The sizes of a copy of the result are not those that the index function reaches.
// CHECK-LABEL: func.func @hidden
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         %[[H:.*]] = scf.execute_region -> tensor<?xf32> {
// CHECK-NEXT:      scf.yield %[[R]]
// CHECK:         return %[[H]]
func.func @hidden(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = linalg.generic {indexing_maps = [#id, #even], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %a : tensor<?xf32>
}
