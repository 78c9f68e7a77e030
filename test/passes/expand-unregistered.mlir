// RUN: mdh-opt %s --mdh-expand-unregistered | FileCheck %s --implicit-check-not=stablehlo. --implicit-check-not=tm_tensor.
// RUN: mdh-opt %s --mdh-expand-unregistered="all=false" | FileCheck %s --check-prefix=REGIONS

// CHECK-LABEL: @scatter
// CHECK-SAME:  %[[X:.*]]: tensor<8x3xf32>, %[[K:.*]]: tensor<?x1xi32>, %[[U:.*]]: tensor<?x3xf32>
// CHECK:       %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK:         scf.for %[[J:.*]] = {{.*}} iter_args(%[[B:.*]] = %[[A]])
// CHECK:           %[[KEY:.*]] = tensor.extract %[[K]][%[[I]], %{{.*}}] : tensor<?x1xi32>
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[KEY]] : i32 to index
// CHECK:           %[[IS_ROW:.*]] = arith.cmpi ult, %[[ROW]]
// CHECK:           %[[IS_COLUMN:.*]] = arith.cmpi ult, %[[J]]
// CHECK:           %[[IS_INSIDE:.*]] = arith.andi %[[IS_ROW]], %[[IS_COLUMN]]
// CHECK:           scf.if %[[IS_INSIDE]]
// CHECK:             %[[BEFORE:.*]] = tensor.extract %[[B]][%[[ROW]], %[[J]]]
// CHECK:             %[[UPDATE:.*]] = tensor.extract %[[U]][%[[I]], %[[J]]]
// CHECK:             %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[UPDATE]]
// CHECK:             %[[NEXT:.*]] = tensor.insert %[[SUM]] into %[[B]][%[[ROW]], %[[J]]]
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           } else {
// CHECK:             scf.yield %[[B]]
// CHECK:       return %[[R]]
// REGIONS-LABEL: @scatter
// REGIONS:       "stablehlo.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) ({
// REGIONS-NEXT:  ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// REGIONS-NEXT:    %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// REGIONS-NEXT:    "stablehlo.return"(%[[S]]) : (f32) -> ()
// REGIONS-NEXT:  }) {scatter_dimension_numbers = #stablehlo.scatter<
func.func @scatter(%x: tensor<8x3xf32>, %k: tensor<?x1xi32>, %u: tensor<?x3xf32>) -> tensor<8x3xf32> {
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %e = tensor.empty() : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%a, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %t = arith.addf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8x3xf32>, tensor<?x1xi32>, tensor<?x3xf32>) -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// CHECK-LABEL: @window
// CHECK:       %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[0] [7] [1]
// CHECK:       %[[PADDED:.*]] = tensor.pad %[[SLICE]] low[2] high[0]
// CHECK:       linalg.fill
// CHECK:       linalg.generic {{.*}} ins(%[[PADDED]]
// CHECK:         arith.maximumf
func.func @window(%x: tensor<8xf32>) -> tensor<7xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 3>, padding = dense<[[2, -1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// CHECK-LABEL: @unsigned
// CHECK-SAME:  (%[[X:.*]]: tensor<9xi8>, %{{.*}}, %[[U:.*]]: tensor<4xi8>)
// CHECK:       %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[X]]) -> (tensor<9xi8>)
// CHECK:         tensor.extract %[[U]]
// CHECK:         arith.maxui %{{.*}}, %{{.*}} : i8
// CHECK:       return %[[R]]
func.func @unsigned(%x: tensor<9xi8>, %k: tensor<4x1xi32>, %u: tensor<4xi8>) -> tensor<9xi8> {
  %y = builtin.unrealized_conversion_cast %x : tensor<9xi8> to tensor<9xui8>
  %v = builtin.unrealized_conversion_cast %u : tensor<4xi8> to tensor<4xui8>
  %r = "stablehlo.scatter"(%y, %k, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %s = "stablehlo.maximum"(%a, %b) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
    "stablehlo.return"(%s) : (tensor<ui8>) -> ()
  }) : (tensor<9xui8>, tensor<4x1xi32>, tensor<4xui8>) -> tensor<9xui8>
  %z = builtin.unrealized_conversion_cast %r : tensor<9xui8> to tensor<9xi8>
  return %z : tensor<9xi8>
}

// Unsigned integers, which other dialects do not have, are converted.
// CHECK-LABEL: @while
// CHECK:       scf.while (%[[A:.*]] = %{{.*}}) : (tensor<4xi32>) -> tensor<4xi32> {
// CHECK:         %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK:         scf.condition(%[[C]]) %[[A]]
// CHECK:       } do {
// CHECK:         scf.yield
// CHECK-NOT:   unrealized_conversion_cast
// CHECK:       return
func.func @while(%x: tensor<4xi32>, %c: tensor<i1>) -> tensor<4xi32> {
  %u = builtin.unrealized_conversion_cast %x : tensor<4xi32> to tensor<4xui32>
  %r = "stablehlo.while"(%u) ({
  ^bb0(%a: tensor<4xui32>):
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<4xui32>):
    %s = builtin.unrealized_conversion_cast %a : tensor<4xui32> to tensor<4xi32>
    %e = tensor.empty() : tensor<4xi32>
    %d = linalg.add ins(%s, %s : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
    %t = builtin.unrealized_conversion_cast %d : tensor<4xi32> to tensor<4xui32>
    "stablehlo.return"(%t) : (tensor<4xui32>) -> ()
  }) : (tensor<4xui32>) -> tensor<4xui32>
  %w = builtin.unrealized_conversion_cast %r : tensor<4xui32> to tensor<4xi32>
  return %w : tensor<4xi32>
}

// The last region is for an index that no region has.
// CHECK-LABEL: @case
// CHECK-SAME:  %[[I:.*]]: tensor<i32>, %[[X:.*]]: tensor<4xui32>, %[[Y:.*]]: tensor<f32>
// CHECK:       %[[K:.*]] = tensor.extract %[[I]][] : tensor<i32>
// CHECK:       %[[IS_FIRST:.*]] = arith.cmpi eq, %[[K]], %{{.*}} : i32
// CHECK:       %[[R:.*]]:2 = scf.if %[[IS_FIRST]] -> (tensor<4xi32>, f32) {
// CHECK:         scf.yield %{{.*}}, %{{.*}} : tensor<4xi32>, f32
// CHECK:       } else {
// CHECK:         %[[IS_SECOND:.*]] = arith.cmpi eq, %[[K]], %{{.*}} : i32
// CHECK:         %[[S:.*]]:2 = scf.if %[[IS_SECOND]] -> (tensor<4xi32>, f32) {
// CHECK:         } else {
// CHECK:         scf.yield %[[S]]#0, %[[S]]#1
// CHECK:       return
func.func @case(%i: tensor<i32>, %x: tensor<4xui32>, %y: tensor<f32>) -> (tensor<4xui32>, tensor<f32>) {
  %r:2 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%x, %y) : (tensor<4xui32>, tensor<f32>) -> ()
  }, {
    %c = arith.constant dense<1.0> : tensor<f32>
    "stablehlo.return"(%x, %c) : (tensor<4xui32>, tensor<f32>) -> ()
  }, {
    %c = arith.constant dense<2.0> : tensor<f32>
    "stablehlo.return"(%x, %c) : (tensor<4xui32>, tensor<f32>) -> ()
  }) : (tensor<i32>) -> (tensor<4xui32>, tensor<f32>)
  return %r#0, %r#1 : tensor<4xui32>, tensor<f32>
}

// CHECK-LABEL: @if
// CHECK:       %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK:       scf.if %[[C]] -> (tensor<4xf32>)
func.func @if(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
