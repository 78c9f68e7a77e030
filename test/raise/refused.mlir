// What is not raised stays, with the reason.
// RUN: mdh-opt %s --mdh-raise --split-input-file --verify-diagnostics
// RUN: mdh-opt %s --mdh-raise --split-input-file 2>/dev/null | FileCheck %s
// CHECK-COUNT-25: linalg.generic

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

// -----

// The maximum with its index, as torch-mlir writes it: a NaN keeps the index of the largest number before it.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @index_before_nan(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %zero = arith.constant 0 : i64
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xi64>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<4xi64>) -> tensor<4xi64>
  // expected-remark @below {{is not raised: requires an associative operator f, but f(f(a, b), c) and f(a, f(b, c)) differ for a = (1.0, 1), b = (2.0, 2), c = (NaN, 3)}}
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%s0, %s1 : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %n = arith.maximumf %a, %m : f32
    %c = arith.cmpf ogt, %a, %m : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %n, %k : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi64>
}

// -----

// Which of 0.0 and -0.0 comes first decides.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @zeros(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4xf32>
  %s0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{is not raised: requires a commutative operator f, but f(a, b) and f(b, a) differ for a = (0.0), b = (-0.0)}}
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%s0 : tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32):
    %c = arith.cmpf ult, %m, %a : f32
    %o = arith.cmpf uno, %m, %m : f32
    %t = arith.constant true
    %number = arith.xori %o, %t : i1
    %both = arith.andi %c, %number : i1
    %n = arith.select %both, %a, %m : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The index of the initial value may be that of a point.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @initial_index(%x: tensor<5xi32>, %start: tensor<i32>) -> (tensor<i32>, tensor<index>) {
  %zero = arith.constant 3 : index
  %e = tensor.empty() : tensor<index>
  %s = linalg.fill ins(%zero : index) outs(%e : tensor<index>) -> tensor<index>
  %low = arith.constant -7 : i32
  %e0 = tensor.empty() : tensor<i32>
  %s0 = linalg.fill ins(%low : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  // expected-remark @below {{is not raised: requires an initial value whose index is at most 0, but it is 3}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xi32>) outs(%s0, %s : tensor<i32>, tensor<index>) {
  ^bb0(%a: i32, %m: i32, %at: index):
    %i = linalg.index 0 : index
    %c = arith.cmpi sge, %a, %m : i32
    %n = arith.select %c, %a, %m : i32
    %k = arith.select %c, %i, %at : index
    linalg.yield %n, %k : i32, index
  } -> (tensor<i32>, tensor<index>)
  return %r#0, %r#1 : tensor<i32>, tensor<index>
}

// -----

#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @any_initial(%x: tensor<5xi32>, %s0: tensor<i32>, %s1: tensor<index>) -> (tensor<i32>, tensor<index>) {
  // expected-remark @below {{is not raised: requires a commutative operator f, but f(a, b) and f(b, a) differ for a = (0, 0), b = (0, 1), and no constant initial value comes before all indices}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xi32>) outs(%s0, %s1 : tensor<i32>, tensor<index>) {
  ^bb0(%a: i32, %m: i32, %at: index):
    %i = linalg.index 0 : index
    %c = arith.cmpi sgt, %a, %m : i32
    %n = arith.select %c, %a, %m : i32
    %k = arith.select %c, %i, %at : index
    linalg.yield %n, %k : i32, index
  } -> (tensor<i32>, tensor<index>)
  return %r#0, %r#1 : tensor<i32>, tensor<index>
}

// -----

// Two outputs, one of which is no selection.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @count(%x: tensor<5xi32>, %s0: tensor<i32>, %s1: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  // expected-remark @below {{is not raised: requires that outputs 1, 2 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.addi combines them}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xi32>) outs(%s0, %s1 : tensor<i32>, tensor<i32>) {
  ^bb0(%a: i32, %m: i32, %n: i32):
    %one = arith.constant 1 : i32
    %c = arith.cmpi sgt, %a, %m : i32
    %t = arith.select %c, %a, %m : i32
    %more = arith.addi %n, %one : i32
    %k = arith.select %c, %more, %n : i32
    linalg.yield %t, %k : i32, i32
  } -> (tensor<i32>, tensor<i32>)
  return %r#0, %r#1 : tensor<i32>, tensor<i32>
}

// -----

// Two values for one output.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @two_values(%x: tensor<5xi32>, %y: tensor<5xi32>, %s: tensor<i32>) -> tensor<i32> {
  // expected-remark @below {{is not raised: requires a value for each output, of types (i32), but the region combines values of types (i32, i32) with them}}
  %r = linalg.generic {indexing_maps = [#vector, #vector, #scalar], iterator_types = ["reduction"]} ins(%x, %y : tensor<5xi32>, tensor<5xi32>) outs(%s : tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %m: i32):
    %c = arith.cmpi sgt, %a, %m : i32
    %n = arith.select %c, %b, %m : i32
    linalg.yield %n : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// -----

// Almost log-sum-exp: the distance of the element is that from the maximum before.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @distance_from_before(%x: tensor<5xf32>, %s0: tensor<f32>, %s1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-remark @below {{is not raised: requires that outputs 1, 2 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.subf combines them}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%s0, %s1 : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %m : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// Almost a variance: the difference from the mean before is squared.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @squares_of_before(%x: tensor<5xf32>, %s0: tensor<f32>, %s1: tensor<f32>, %s2: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // expected-remark @below {{is not raised: requires that outputs 1, 2, 3 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.addf combines them}}
  %r:3 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%s0, %s1, %s2 : tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %k: f32, %mean: f32, %squares: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %k, %one : f32
    %d = arith.subf %a, %mean : f32
    %step = arith.divf %d, %n : f32
    %next = arith.addf %mean, %step : f32
    %p = arith.mulf %d, %d : f32
    %q = arith.addf %squares, %p : f32
    linalg.yield %n, %next, %q : f32, f32, f32
  } -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A NaN as the initial maximum is never replaced, and a maximum that is selected by comparison is no maximum of parts.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @unknown_initial_maximum(%x: tensor<5xf32>, %s0: tensor<f32>, %s1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-remark @below {{is not raised: requires that outputs 1, 2 are combined by comparisons and selections, or as log-sum-exp or mean and variance are, but arith.subf combines them}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%s0, %s1 : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %c = arith.cmpf ogt, %a, %m : f32
    %n = arith.select %c, %a, %m : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.addf %p0, %f1 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// Many sums, the last of which has no power: the order of the others is not tried.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @many_sums(%x: tensor<5xf32>, %o0: tensor<f32>, %o1: tensor<f32>, %o2: tensor<f32>, %o3: tensor<f32>, %o4: tensor<f32>, %o5: tensor<f32>, %o6: tensor<f32>, %o7: tensor<f32>, %o8: tensor<f32>, %o9: tensor<f32>, %o10: tensor<f32>, %o11: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  // expected-remark @below {{or as log-sum-exp or mean and variance are, but arith.subf combines them}}
  %r:12 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%o0, %o1, %o2, %o3, %o4, %o5, %o6, %o7, %o8, %o9, %o10, %o11 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %m: f32, %s1: f32, %s2: f32, %s3: f32, %s4: f32, %s5: f32, %s6: f32, %s7: f32, %s8: f32, %s9: f32, %s10: f32, %s11: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p1 = arith.mulf %s1, %f0 : f32
    %t1 = arith.addf %p1, %f1 : f32
    %p2 = arith.mulf %s2, %f0 : f32
    %t2 = arith.addf %p2, %f1 : f32
    %p3 = arith.mulf %s3, %f0 : f32
    %t3 = arith.addf %p3, %f1 : f32
    %p4 = arith.mulf %s4, %f0 : f32
    %t4 = arith.addf %p4, %f1 : f32
    %p5 = arith.mulf %s5, %f0 : f32
    %t5 = arith.addf %p5, %f1 : f32
    %p6 = arith.mulf %s6, %f0 : f32
    %t6 = arith.addf %p6, %f1 : f32
    %p7 = arith.mulf %s7, %f0 : f32
    %t7 = arith.addf %p7, %f1 : f32
    %p8 = arith.mulf %s8, %f0 : f32
    %t8 = arith.addf %p8, %f1 : f32
    %p9 = arith.mulf %s9, %f0 : f32
    %t9 = arith.addf %p9, %f1 : f32
    %p10 = arith.mulf %s10, %f0 : f32
    %t10 = arith.addf %p10, %f1 : f32
    %p11 = arith.mulf %s11, %f0 : f32
    %t11 = arith.addf %p11, %a : f32
    linalg.yield %n, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  } -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// An operator that is declared associative combines two tuples: the sum has no value on the right.
#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @declared(%x: tensor<5xf32>, %s0: tensor<f32>, %s1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-remark @below {{is not raised: mdh.associative requires a value for each output, of types (f32, f32), but the region combines values of types (f32) with them}}
  %r:2 = linalg.generic {indexing_maps = [#vector, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%s0, %s1 : tensor<f32>, tensor<f32>) attrs = {mdh.associative} {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %n = arith.maximumf %m, %a : f32
    %d0 = arith.subf %m, %n : f32
    %d1 = arith.subf %a, %n : f32
    %f0 = math.exp %d0 : f32
    %f1 = math.exp %d1 : f32
    %p0 = arith.mulf %s, %f0 : f32
    %t = arith.subf %f1, %p0 : f32
    linalg.yield %n, %t : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

#vector = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @declaration(%x: tensor<5xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{is not raised: requires that mdh.associative is a unit attribute, but it is false}}
  %r = linalg.generic {indexing_maps = [#vector, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%s : tensor<f32>) attrs = {mdh.associative = false} {
  ^bb0(%a: f32, %m: f32):
    %n = arith.divf %m, %a : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Between 1e308 and infinity there are numbers, too, whose law is another one.
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @beyond_a_large_constant(%x: tensor<6xf64>, %y: tensor<f64>) -> tensor<f64> {
  %c = arith.constant 1.0e308 : f64
  // expected-remark @below {{is not raised: requires a commutative operator f, but f(a, b) and f(b, a) differ for a = (1.0000000000000002e308), b = (1.0000000000000004e308)}}
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<6xf64>) outs(%y : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %p = arith.cmpf ogt, %a, %c : f64
    %q = arith.cmpf ogt, %o, %c : f64
    %b = arith.andi %p, %q : i1
    %m = arith.maximumf %o, %a : f64
    %n = arith.select %b, %o, %m : f64
    linalg.yield %n : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @without_bits(%x: tensor<6xi0>, %y: tensor<i0>) -> tensor<i0> {
  // expected-remark @below {{is not raised: requires}}
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<6xi0>) outs(%y : tensor<i0>) {
  ^bb0(%a: i0, %o: i0):
    %c = arith.cmpi sgt, %a, %o : i0
    %m = arith.select %c, %a, %o : i0
    linalg.yield %m : i0
  } -> tensor<i0>
  return %r : tensor<i0>
}
