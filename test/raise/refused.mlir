// What is not raised stays, with the reason.
// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics
// RUN: mdh-opt %s --mdh-raise --split-input-file 2>/dev/null | FileCheck %s
// CHECK-COUNT-11: linalg.generic

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @difference(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires that output 1 is combined by an associative operation on it and a value, but arith.subf combines it}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.subf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @division(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires that output 1 is combined by an associative operation on it and a value, but arith.divf combines it}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @used_twice(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires that output 1 is combined by an associative operation on it and a value, but arith.mulf uses it}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %o : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @last_value(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires that output 1 is combined by an associative operation on it and a value, but the region yields an argument}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#quotient = affine_map<(i) -> (i floordiv 2)>
#id = affine_map<(i) -> (i)>
func.func @quotient(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{is not raised: requires linear index functions without symbols, but operand 1 has affine_map<(d0) -> (d0 floordiv 2)>}}
  %r = linalg.generic {indexing_maps = [#quotient, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @gather(%x: tensor<4xf32>, %k: tensor<8xindex>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{is not raised: requires operations of arith, math, scf.if, scf.for, scf.while, func.call or linalg.index, all on scalars, in its region, but it has tensor.extract}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%k : tensor<8xindex>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: index, %o: f32):
    %e = tensor.extract %x[%a] : tensor<4xf32>
    linalg.yield %e : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @complex(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-remark @below {{is not raised: requires elements of type f16, bf16, f32, f64, index or a signless integer, but operand 1 has 'complex<f32>'}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%y : tensor<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    linalg.yield %a : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @aliasing(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-remark @below {{is not raised: requires memrefs that do not share memory, but output 1 may share that of another operand}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Elements that several points of parallel iterators write.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @race(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires that output 1 has parallel iterator 2 alone as an index, but it has not}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @unknown(f32) -> f32
#id = affine_map<(i) -> (i)>
func.func @call(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{is not raised: requires calls of functions on scalars that have a body, but its region calls @unknown}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = func.call @unknown(%a) : (f32) -> f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @one_tensor(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @below {{is not raised: requires a different tensor or memref for each output, but output 2 is another one, too}}
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y, %y : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s, %o : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
