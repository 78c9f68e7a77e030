// Operations of StableHLO and TMTensor that are not supported.
// RUN: mdh-opt %s --mdh-expand-unregistered --split-input-file --verify-diagnostics

func.func @sort(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be expanded: requires an operation that raising knows}}
  %r = "stablehlo.sort"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @two(%x: tensor<4xf32>, %k: tensor<5x1xi32>, %u: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be expanded: requires one tensor with its indices and updates, but has 5 operands and 2 results}}
  %r:2 = "stablehlo.scatter"(%x, %x, %k, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<4xf32>
}

// -----

func.func @unsigned(%x: tensor<4xf32>, %k: tensor<5x1xui8>, %u: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{indices of signless integers, but has tensor<4xf32>, tensor<5xf32> and tensor<5x1xui8>}}
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<5x1xui8>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @numbers(%x: tensor<4xf32>, %k: tensor<5x2xi32>, %u: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires dimension numbers that fit its operands}}
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @axes(%x: tensor<4xf32>, %k: tensor<5x1xi32>, %u: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires dimension numbers that fit its operands}}
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [7], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @text(%x: tensor<4xf32>, %k: tensor<5x1xi32>, %u: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires dimension numbers that fit its operands}}
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = "none"}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @region(%x: tensor<4xf32>, %k: tensor<5x1xi32>, %u: tensor<5xf32>, %y: tensor<9xf32>, %i: index) -> tensor<4xf32> {
  // expected-error @below {{requires a region of operations on elements, but it has tensor.extract}}
  %r = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %e = tensor.extract %y[%i] : tensor<9xf32>
    %s = tensor.from_elements %e : tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @two_windows(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  // expected-error @below {{cannot be expanded: requires one tensor and one initial value, but has 4 operands and 2 results}}
  %r:2 = "stablehlo.reduce_window"(%x, %x, %z, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %r#0 : tensor<3xf32>
}

// -----

func.func @base(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<7xf32> {
  // expected-error @below {{requires base dilations of 1, but they are [2]}}
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1>, base_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

func.func @sizes(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{requires windows that fit its operand and its result, but has tensor<4xf32> and tensor<4xf32>}}
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>, %z: tensor<f32>) -> tensor<?xf32> {
  // expected-error @below {{requires static sizes, but has tensor<?xf32> and tensor<?xf32>}}
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @condition(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires a condition from (tensor<4xf32>) to (tensor<i1>)}}
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    "stablehlo.return"(%a) : (tensor<4xf32>) -> ()
  }, {
  ^bb0(%a: tensor<4xf32>):
    "stablehlo.return"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires a condition}}
  %r = "stablehlo.while"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @too_few_indices(%h: tensor<8xi32>, %k: tensor<10x1xi32>, %u: tensor<20xi32>) -> tensor<8xi32> {
  // expected-error @below {{cannot be expanded: requires an index for each update, but has tensor<20xi32> and tensor<10x1xi32>}}
  %r = "stablehlo.scatter"(%h, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    "stablehlo.return"(%b) : (tensor<i32>) -> ()
  }) : (tensor<8xi32>, tensor<10x1xi32>, tensor<20xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

func.func @padding_that_is_cut(%x: tensor<4xi32>, %i: tensor<i32>) -> tensor<3xi32> {
  // expected-error @below {{cannot be expanded: requires windows that fit its operand and its result, but has tensor<4xi32> and tensor<3xi32>}}
  %r = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[-9223372036854775808, 9223372036854775807]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    "stablehlo.return"(%b) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// -----

func.func @selector(%i: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be expanded: requires an operand of type tensor<i32> and a region for each case, but has tensor<i64> and 1}}
  %r = "stablehlo.case"(%i) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @results(%i: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be expanded: requires regions without arguments that return the results}}
  %r = "stablehlo.if"(%i) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<5xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
