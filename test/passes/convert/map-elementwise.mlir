// RUN: mdh-opt %s --mdh-map-elementwise | FileCheck %s
// RUN: mdh-opt %s --mdh-map-elementwise --convert-elementwise-to-linalg | FileCheck %s --check-prefix=ALL
// ALL-NOT: dense<

// CHECK-LABEL: func.func @same
// CHECK-SAME:    (%[[X:.*]]: tensor<?x4xi32>)
// CHECK:         linalg.map ins(%[[X]] : tensor<?x4xi32>) outs(%[[X]] : tensor<?x4xi32>)
// CHECK-NEXT:      (%[[A:.*]]: i32, %{{.*}}: i32) {
// CHECK-NEXT:      arith.xori %[[A]], %[[A]] : i32
func.func @same(%x: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %r = arith.xori %x, %x : tensor<?x4xi32>
  return %r : tensor<?x4xi32>
}

// Flags, predicates and types of elements stay.
// CHECK-LABEL: func.func @others
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32>)
// CHECK:         arith.addf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[S:.*]], %{{.*}} : tensor<?xf32>
// CHECK:         %[[NEW:.*]] = tensor.empty(%[[SIZE]]) : tensor<?xi1>
// CHECK:         linalg.map { arith.cmpf {predicate = 4 : i64} } ins(%[[S]], %[[X]] : tensor<?xf32>, tensor<?xf32>) outs(%[[NEW]] : tensor<?xi1>)
// CHECK:         linalg.map { arith.truncf } {{.*}} outs(%{{.*}} : tensor<?xf16>)
// CHECK:         linalg.map { math.exp }
func.func @others(%x: tensor<?xf32>) -> (tensor<?xi1>, tensor<?xf16>) {
  %a = arith.addf %x, %x fastmath<nnan> : tensor<?xf32>
  %b = arith.cmpf olt, %a, %x : tensor<?xf32>
  %c = arith.truncf %a : tensor<?xf32> to tensor<?xf16>
  %d = math.exp %c : tensor<?xf16>
  return %b, %d : tensor<?xi1>, tensor<?xf16>
}

// A scalar is the same for all elements.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK:         linalg.map ins(%[[X]], %[[Y]] :
// CHECK-NEXT:      (%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32) {
// CHECK-NEXT:      arith.select %[[C]], %[[A]], %[[B]] : f32
func.func @chosen(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.select %c, %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Tensors of static sizes and scalars are left to upstream.
// CHECK-LABEL: func.func @static
// CHECK-NOT:     linalg
// CHECK:         return
func.func @static(%x: tensor<4xi32>, %y: i32) -> (tensor<4xi32>, i32) {
  %r = arith.addi %x, %x : tensor<4xi32>
  %s = arith.addi %y, %y : i32
  return %r, %s : tensor<4xi32>, i32
}
