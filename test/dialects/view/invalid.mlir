// RUN: mdh-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{C1: requires at least one extent, a natural number or ?}}
func.func private @c1_negative(!mdh.mda<-4, f32>)

// -----

// expected-error @below {{C1: requires extents of at most 2^62, but one is 4611686018427387905}}
func.func private @c1_large(!mdh.mda<4611686018427387904x4611686018427387905, f32>)

// -----

// expected-error @below {{C1: requires f16, bf16, f32, f64, a signless integer or index as scalar type, but one is 'tensor<4xf32>'}}
func.func private @c1_tensor(!mdh.mda<4, tensor<4xf32>>)

// -----

// expected-error @below {{C1: requires f16, bf16, f32, f64, a signless integer or index as scalar type, but one is 'f8E5M2'}}
func.func private @c1_scalar(!mdh.mda<4, f8E5M2>)

// -----

// expected-error @below {{C1: requires f16, bf16, f32, f64, a signless integer or index as scalar type, but one is 'ui8'}}
func.func private @c1_unsigned(!mdh.mda<4, ui8>)

// -----

// expected-error @below {{C1: requires at least one extent, a natural number or ?}}
func.func private @c1_no_extent(!mdh.mda<f32>)

// -----

func.func @c2_no_map(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires at least one access to input buffer 1}}
  %0 = mdh.view.inp_view %a[] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_not_a_map(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires affine maps as accesses to input buffer 1, but one is 1 : i64}}
  %0 = "mdh.view.inp_view"(%a) <{accesses = [[1]], operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_bracket_count(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires a bracket of accesses for each of the 1 buffers, but has 0}}
  %0 = "mdh.view.inp_view"(%a) <{accesses = [], operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> !mdh.mda<4>
  return
}

// -----

func.func @c2_symbols(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function without symbols for input buffer 1, but it is affine_map<(d0)[s0] -> (d0 + s0)>}}
  %0 = mdh.view.inp_view %a[affine_map<(i)[s] -> (i + s)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_dimensions(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function of 1 dimensions for input buffer 1, but it is affine_map<(d0, d1) -> (d0)>}}
  %0 = mdh.view.inp_view %a[affine_map<(i, j) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_results(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with 1 results, the rank of input buffer 1, but it is affine_map<(d0) -> (d0, d0)>}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i, i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_not_linear(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires a linear index function for input buffer 1, but it is affine_map<(d0) -> (d0 floordiv 2)>}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i floordiv 2)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_modulo(%r: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C2: requires a linear index function for output buffer 1, but it is affine_map<(d0) -> (d0 mod 4)>}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i mod 4)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return
}

// -----

func.func @c2_too_large(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 1 of affine_map<(d0) -> (d0 * -9223372036854775807)> has larger ones on extents 4}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i * 9223372036854775807 + i * 2)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_beyond_64_bits(%a: tensor<?xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 1 of affine_map<(d0) -> (d0 * 4611686018427387904)> has larger ones on extents 4}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i * 4611686018427387904)>] : (tensor<?xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c2_large_constant_of_dynamic_extents(%a: tensor<?x?xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 2 of affine_map<(d0, d1) -> (d0, d1 + 9223372036854775807)> has larger ones on extents ?x3}}
  %0 = mdh.view.inp_view %a[affine_map<(i, j) -> (i, j + 9223372036854775807)>] : (tensor<?x?xf32>) -> !mdh.mda<?x3, f32>
  return
}

// -----

func.func @c2_large_coefficient_of_dynamic_extent(%r: !mdh.mda<?, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C2: requires an index function with values below 2^62 for output buffer 1, but dimension 1 of affine_map<(d0) -> (d0 * 4611686018427387904)> has larger ones on extents ?}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i * 4611686018427387904)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return
}

// -----

func.func @c2_large_coefficient_of_one_index(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 1 of affine_map<(d0, d1) -> (d0 - d1 * 9223372036854775807)> has larger ones on extents 4x1}}
  %0 = mdh.view.inp_view %a[affine_map<(i, j) -> (i + j * -9223372036854775807)>] : (tensor<4xf32>) -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c2_large_values_of_an_empty_space(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  // The largest sum that is allowed comes first.
  %0 = mdh.view.inp_view %a[affine_map<(i, j) -> (i * 2305843009213693952 + j + 2305843009213693950)>] : (tensor<?xf32>) -> !mdh.mda<0x2, f32>
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 1 of affine_map<(d0, d1) -> (d0 * 2305843009213693952 + d1 + 2305843009213693951)> has larger ones on extents 0x2}}
  %1 = mdh.view.inp_view %b[affine_map<(i, j) -> (i * 2305843009213693952 + j + 2305843009213693951)>] : (tensor<?xf32>) -> !mdh.mda<0x2, f32>
  return
}

// -----

func.func @c2_extent_of_a_large_buffer(%a: tensor<9223372036854775807xi8>) {
  // expected-error @below {{'mdh.view.inp_view' op C2: requires an index function with values below 2^62 for input buffer 1, but dimension 1 of affine_map<(d0) -> (d0)> has larger ones on extents 9223372036854775807}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (tensor<9223372036854775807xi8>) -> !mdh.mda<?, i8>
  return
}

// -----

func.func @c3_arity(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C3: requires one access for each component of the MDA, but there are 1 accesses and 2 components}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32, f32>
  return
}

// -----

func.func @c4_element_type(%a: tensor<4xf32>, %b: memref<4xi8>) {
  // expected-error @below {{'mdh.view.inp_view' op C4: requires component 2 of the MDA to have the element type of input buffer 2, 'i8', but it has 'i16'}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>], %b[affine_map<(i) -> (i)>] : (tensor<4xf32>, memref<4xi8>) -> !mdh.mda<4, f32, i16>
  return
}

// -----

func.func @c5_missing_extent(%a: tensor<?xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C5: requires an extent operand for each of the 1 dynamic extents that do not follow from a buffer, but has 0}}
  %0 = mdh.view.inp_view %a[affine_map<(i, j) -> (i + j)>] : (tensor<?xf32>) -> !mdh.mda<?x3, f32>
  return
}

// -----

// The size of the buffer is larger than the extent.
func.func @c5_other_use_of_the_dimension(%a: tensor<?xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C5: requires an extent operand for each of the 1 dynamic extents that do not follow from a buffer, but has 0}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 1)>] : (tensor<?xf32>) -> !mdh.mda<?, f32, f32>
  return
}

// -----

func.func @c5_extent_that_follows(%a: tensor<?xf32>, %n: index) {
  // expected-error @below {{'mdh.view.inp_view' op C5: requires an extent operand for each of the 0 dynamic extents that do not follow from a buffer, but has 1}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] extents(%n) : (tensor<?xf32>) -> !mdh.mda<?, f32>
  return
}

// -----

func.func @c6_extent_leaves_buffer(%M: tensor<512x4095xf32>, %v: tensor<4096xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C6: requires accesses inside of input buffer 1, but dimension 2 has indices 0 to 4094 and is accessed at 0 to 4095}}
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (tensor<512x4095xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
  return
}

// -----

func.func @c6_negative_index(%a: memref<?xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C6: requires accesses inside of input buffer 1, but dimension 1 has indices 0 to ? and is accessed at -1 to 2}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (2 - i)>] : (memref<?xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c6_extent_of_a_buffer(%a: tensor<8xf32>, %b: tensor<7xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C6: requires accesses inside of input buffer 2, but dimension 1 has indices 0 to 6 and is accessed at 0 to 7}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>], %b[affine_map<(i) -> (i)>] : (tensor<8xf32>, tensor<7xf32>) -> !mdh.mda<?, f32, f32>
  return
}

// -----

func.func @c6_second_access(%a: tensor<64xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op C6: requires accesses inside of input buffer 1, but dimension 1 has indices 0 to 63 and is accessed at 2 to 64}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i + 2)>] : (tensor<64xf32>) -> !mdh.mda<63, f32, f32, f32>
  return
}

// -----

func.func @c6_output(%r: !mdh.mda<4x1, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C6: requires accesses inside of output buffer 1, but dimension 1 has indices 0 to 3 and is accessed at 1 to 4}}
  %0 = mdh.view.out_view %r[affine_map<(i, k) -> (i + 1)>] : !mdh.mda<4x1, f32> -> tensor<4xf32>
  return
}

// -----

func.func @c7_destinations(%r: !mdh.mda<4, f32, f32>, %w: memref<4xf32>) {
  // expected-error @below {{'mdh.view.out_view' op C7: requires a destination for each of the 2 brackets, but has 1}}
  mdh.view.out_view %r[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>] into %w : !mdh.mda<4, f32, f32>, memref<4xf32>
  return
}

// -----

func.func @c7_mixed_destinations(%r: !mdh.mda<4, f32, f32>, %w: memref<4xf32>, %t: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.out_view' op C7: requires destinations that are all tensors or all memrefs}}
  mdh.view.out_view %r[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>] into %w, %t : !mdh.mda<4, f32, f32>, memref<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @c7_result_beside_memref(%r: !mdh.mda<4, f32>, %w: memref<4xf32>) {
  // expected-error @below {{'mdh.view.out_view' op C7: requires no results where the destinations are memrefs, but has 1}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i)>] into %w : !mdh.mda<4, f32>, memref<4xf32> -> memref<4xf32>
  return
}

// -----

func.func @c7_result_of_a_tensor(%r: !mdh.mda<4, f32>, %t: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.out_view' op C7: requires a result of the same type for each destination tensor}}
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %t : !mdh.mda<4, f32>, tensor<4xf32>
  return
}

// -----

func.func @c7_results(%r: !mdh.mda<4, f32, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C7: requires a result for each of the 2 brackets, but has 1}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>] : !mdh.mda<4, f32, f32> -> tensor<4xf32>
  return
}

// -----

func.func @c8_lost_dimension(%r: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C8: requires an index function that reaches a different element of output buffer 1 at each point, but access 1 reaches elements twice}}
  %0 = mdh.view.out_view %r[affine_map<(i, j) -> (i)>] : !mdh.mda<4x5, f32> -> tensor<4xf32>
  return
}

// -----

func.func @c8_reached_twice(%r: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C8: requires an index function that reaches a different element of output buffer 1 at each point, but access 1 reaches elements twice}}
  %0 = mdh.view.out_view %r[affine_map<(i, j) -> (i + j)>] : !mdh.mda<4x5, f32> -> tensor<8xf32>
  return
}

// -----

func.func @c8_not_proven(%r: !mdh.mda<1000x?, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C8: requires an index function that reaches a different element of output buffer 1 at each point, but access 1 could not be proven to do so}}
  %0 = mdh.view.out_view %r[affine_map<(i, j) -> (i * 7 + j * 5)>] : !mdh.mda<1000x?, f32> -> tensor<?xf32>
  return
}

// -----

func.func @c9_overlap(%r: !mdh.mda<4, f32, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C9: requires accesses to different elements of output buffer 1, but accesses 1 and 2 overlap}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 3)>] : !mdh.mda<4, f32, f32> -> tensor<7xf32>
  return
}

// -----

func.func @c9_not_proven(%r: !mdh.mda<?, f32, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C9: requires accesses to different elements of output buffer 1, but accesses 1 and 2 could not be proven to be disjoint}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i)>, affine_map<(i) -> (i + 100)>] : !mdh.mda<?, f32, f32> -> tensor<?xf32>
  return
}

// -----

func.func @c10_encoding(%a: tensor<4xf32, "sparse">) {
  // expected-error @below {{'mdh.view.inp_view' op C10: requires tensors without an encoding, but input buffer 1 has type 'tensor<4xf32, "sparse">'}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (tensor<4xf32, "sparse">) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c10_layout(%r: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.view.out_view' op C10: requires a row-major memref as result 1, but it has type 'memref<4xf32, strided<[2]>>'}}
  %0 = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @unranked(%a: tensor<*xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op operand #0 must be variadic of ranked tensor or memref, but got 'tensor<*xf32>'}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (tensor<*xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @no_mda(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op result #0 must be multi-dimensional array, but got 'tensor<4xf32>'}}
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @segments(%a: tensor<4xf32>) {
  // expected-error @below {{'mdh.view.inp_view' op operand count (1) does not match with the total size (7) specified in attribute 'operandSegmentSizes'}}
  %0 = "mdh.view.inp_view"(%a) <{accesses = [[affine_map<(i) -> (i)>]], operandSegmentSizes = array<i32: 7, 0>}> : (tensor<4xf32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @no_accesses(%r: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.view.out_view' op requires attribute 'accesses'}}
  %0 = "mdh.view.out_view"(%r) : (!mdh.mda<4, f32>) -> tensor<4xf32>
  return
}
