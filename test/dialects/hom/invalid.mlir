// RUN: mdh-opt %s --split-input-file --verify-diagnostics

func.func @c11_number_of_operators(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C11: requires a combine operator for each of the 2 dimensions, but has 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c11_no_operator(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C11: requires #mdh.cc, #mdh.pw or #mdh.ps for dimension 2, but has "cc"}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, "cc"] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c12_rank(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C12: requires a result with 2 extents, but it has 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c12_extent(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C12: requires extent 1 of the result in dimension 2 for #mdh.pw<add>, but it has 5}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c12_dynamic(%a: !mdh.mda<?, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C12: requires extent ? of the result in dimension 1 for #mdh.ps<add>, but it has 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.ps<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<1, f32>
  return
}

// -----

func.func @c12_no_component(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C12: requires at least one component of the result}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield
  } : !mdh.mda<4, f32> -> !mdh.mda<4>
  return
}

// -----

func.func @c13_arity(%a: !mdh.mda<4, f32, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C13: requires a scalar function of 2 arguments, one for each component of the MDA, but it has 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c13_type(%a: !mdh.mda<4, f32, i8>) {
  // expected-error @below {{'mdh.hom.md_hom' op C13: requires argument 2 of the scalar function to have type 'i8', the component of the MDA, but it has 'i16'}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32, %y: i16):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32, i8> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c14_arity(%a: !mdh.mda<4, f32>) {
  // expected-note @below {{the result is here}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    // expected-error @below {{'mdh.hom.yield' op C14: requires 1 values, one for each component of the result, but has 2}}
    mdh.hom.yield %x, %x : f32, f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c14_type(%a: !mdh.mda<4, f32>) {
  // expected-note @below {{the result is here}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    // expected-error @below {{'mdh.hom.yield' op C14: requires value 1 to have type 'f64', the component of the result, but it has 'f32'}}
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f64>
  return
}

// -----

func.func @c14_no_yield(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C14: requires a scalar function that ends in mdh.hom.yield}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    "llvm.unreachable"() : () -> ()
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c15_operation(%a: !mdh.mda<4, f32>) {
  // expected-note @below {{the scalar function is here}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    // expected-error @below {{'memref.alloc' op C15: requires an operation of arith or math, scf.if, scf.for, scf.while, func.call or mdh.hom.index, all on scalars, in a scalar function}}
    %m = memref.alloc() : memref<4xf32>
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c15_vectors(%a: !mdh.mda<4, f32>) {
  // expected-note @below {{the scalar function is here}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    // expected-error @below {{'arith.constant' op C15: requires an operation of arith or math, scf.if, scf.for, scf.while, func.call or mdh.hom.index, all on scalars, in a scalar function}}
    %m = arith.constant dense<1.0> : vector<4xf32>
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c16_yield(%x: f32) {
  // expected-error @below {{'mdh.hom.yield' op C16: requires to be in an mdh.hom.md_hom, mdh.hom.operator or mdh.lowlevel.scalar}}
  mdh.hom.yield %x : f32
}

// -----

func.func @c17_bitwise_on_floats(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C17: requires an integer type for the function xor of dimension 1, but component 1 has type 'f32'}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<[xor]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

func.func @c18_list(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C18: requires a list of 1 functions, one for each component, for dimension 1, but it has 2}}
  %0 = mdh.hom.md_hom %a combine [#mdh.ps<[add, mul]>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c19_unknown_symbol(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C19: requires an mdh.hom.operator @nothing for dimension 1, but there is no such symbol}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<@nothing>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

// expected-note @below {{the symbol is this func.func}}
func.func private @add(f32, f32) -> f32
func.func @c19_function(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C19: requires an mdh.hom.operator @add for dimension 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<@add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

// expected-note @below {{the operator is here}}
mdh.hom.operator @add commutative (%x: f64, %y: f64) -> (f64) {
  %r = arith.addf %x, %y : f64
  mdh.hom.yield %r : f64
}
func.func @c19_signature(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C19: requires an operator that yields (f32), the tuple of the result, for dimension 1, but @add has type (f64, f64) -> f64}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<@add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

// expected-note @below {{the operator is here}}
mdh.hom.operator @left (%x: f32, %y: f32) -> (f32) {
  mdh.hom.yield %x : f32
}
func.func @c19_not_commutative(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C19: requires a commutative operator for the point-wise dimension 1, but @left is not declared commutative}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<@left>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

func.func @c20_lemma_10(%a: !mdh.mda<4x5x6, f32>) {
  // expected-error @+2 {{'mdh.hom.md_hom' op C20: requires one function for all dimensions that are not concatenated, but dimension 1 has #mdh.pw<add> and dimension 3 has #mdh.pw<mul>}}
  // expected-note @below {{if the order of the dimensions does not change the result, declare it with 'attributes {homomorphism}' after the operators, or use one mdh.hom.operator on tuples; otherwise write one computation per operator}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<add>, #mdh.cc, #mdh.pw<mul>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5x6, f32> -> !mdh.mda<1x5x1, f32>
  return
}

// -----

// expected-note @below {{the operator is here}}
mdh.hom.operator @left (%x: f32, %y: f32) -> (f32) {
  mdh.hom.yield %x : f32
}
func.func @c20_order(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C20: requires a commutative function in dimensions 1 and 2, because they are combined in any order, but @left is not declared commutative}}
  %0 = mdh.hom.md_hom %a combine [#mdh.ps<@left>, #mdh.ps<@left>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

// expected-note @below {{the operator is here}}
mdh.hom.operator @last commutative (%x: f32, %y: f32) -> (f32) {
  mdh.hom.yield %x : f32
}
func.func @c21_empty_without_identity(%a: !mdh.mda<0, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C21: requires an identity for @last, because dimension 1 has extent 0}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<@last>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<0, f32> -> !mdh.mda<1, f32>
  return
}

// -----

func.func @c22_dimension(%a: !mdh.mda<4, f32>) {
  // expected-note @below {{the scalar function is here}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc] {
  ^bb0(%x: f32):
    // expected-error @below {{'mdh.hom.index' op C22: requires a dimension below 1, but it is 1}}
    %i = mdh.hom.index 1 : index
    mdh.hom.yield %i : index
  } : !mdh.mda<4, f32> -> !mdh.mda<4, index>
  return
}

// -----

func.func @c22_outside() {
  // expected-error @below {{'mdh.hom.index' op C22: requires to be in the scalar function of an mdh.hom.md_hom}}
  %i = mdh.hom.index 0 : index
  return
}

// -----

// expected-error @below {{'mdh.hom.operator' op C23: requires to take two tuples of the type that it yields, but it has type '(f32, f32, f32) -> f32'}}
mdh.hom.operator @c23_arity commutative (%x: f32, %y: f32, %z: f32) -> (f32) {
  mdh.hom.yield %x : f32
}

// -----

// expected-error @below {{'mdh.hom.operator' op C23: requires to take two tuples of the type that it yields, but it has type '(f32, f64) -> f32'}}
mdh.hom.operator @c23_types commutative (%x: f32, %y: f64) -> (f32) {
  mdh.hom.yield %x : f32
}

// -----

// expected-error @below {{'mdh.hom.operator' op C23: requires tuples of scalars, but has 'vector<4xf32>'}}
mdh.hom.operator @c23_scalars commutative (%x: vector<4xf32>, %y: vector<4xf32>) -> (vector<4xf32>) {
  mdh.hom.yield %x : vector<4xf32>
}

// -----

// expected-note @below {{the result is here}}
mdh.hom.operator @c14_identity commutative (%x: f32, %y: f32) -> (f32) {
  mdh.hom.yield %x : f32
} identity {
  // expected-error @below {{'mdh.hom.yield' op C14: requires 1 values, one for each component of the result, but has 0}}
  mdh.hom.yield
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_entry(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires an array as entry combine_ops, but there is none}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_size(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires sizes of at least 0 or "?" in mda_size, but one is -4 : i64}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [-4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_large_size(%a: memref<?xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires sizes of at most 2^62 in mda_size, but one is 4611686018427387905 : i64}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4611686018427387905], out_types = [f32]} (%a) : (memref<?xf32>) -> memref<?xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_operators(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires a combine operator for each of the 1 sizes, but combine_ops has 2}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc", "cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_operator(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires "cc", ["pw", @FUNCTION] or ["ps", @FUNCTION] in combine_ops, but one is ["pw"]}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = [["pw"]]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_buffers(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires an entry in inp_types for each of the 1 buffers, but has 2}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32, f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_element_type(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires entry 1 of inp_types to be the element type of its buffer, 'f32', but it is f64}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f64], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @id(%x: complex<f32>) -> complex<f32> { return %x : complex<f32> }
func.func @c24_scalar_type(%a: memref<4xcomplex<f32>>) {
  // expected-error @below {{'mdh.compute' op C24: requires f16, bf16, f32, f64, a signless integer or index as entry 1 of inp_types, but it is 'complex<f32>'}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @id, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [complex<f32>], mda_size = [4], out_types = [complex<f32>]} (%a) : (memref<4xcomplex<f32>>) -> memref<4xcomplex<f32>>
  return
}

// -----

func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_index_function(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires an index function of 1 dimensions for buffer 1 of inp_view, but it is affine_map<(d0, d1) -> (d0)>}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i, k) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @c24_unknown_function(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires a function @mul as scalar_func, but there is no such symbol}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// expected-note @below {{the symbol is here}}
func.func private @mul(f32) -> f32
func.func @c24_function_without_body(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires a function @mul of type '(f32) -> f32' as scalar_func, but it has no body}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = ["cc"]}, out_view = [[affine_map<(i) -> (i)>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// expected-note @below {{the symbol is here}}
func.func private @mul(%x: f32) -> f32 { return %x : f32 }
func.func @c24_signature_of_operator(%a: memref<4xf32>) {
  // expected-error @below {{'mdh.compute' op C24: requires a function @mul of type '(f32, f32) -> f32' as operator, but it has type '(f32) -> f32'}}
  %0 = mdh.compute "c" {inp_view = [[affine_map<(i) -> (i)>]], md_hom = {scalar_func = @mul, combine_ops = [["pw", @mul]]}, out_view = [[affine_map<(i) -> ()>]]}
    {inp_types = [f32], mda_size = [4], out_types = [f32]} (%a) : (memref<4xf32>) -> memref<f32>
  return
}

// -----

module {
  // expected-error @below {{'mdh.hom.md_hom' op C25: requires an MDA that is defined before it is used}}
  // expected-note @below {{the MDA is defined here}}
  %0 = mdh.hom.md_hom %0 combine [#mdh.cc] {
  ^bb0(%c25_own_result: f32):
    mdh.hom.yield %c25_own_result : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
}

// -----

func.func @kind(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{expects add, mul, min, max, and, or, xor or a symbol, got 'plus'}}
  %0 = mdh.hom.md_hom %a combine [#mdh.pw<plus>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<1, f32>
  return
}

// -----

func.func @no_region(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op region #0 ('scalar') failed to verify constraint: region with 1 blocks}}
  %0 = "mdh.hom.md_hom"(%a) <{combine = [#mdh.cc]}> ({}) : (!mdh.mda<4, f32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @no_combine(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op requires attribute 'combine'}}
  %0 = "mdh.hom.md_hom"(%a) ({
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  }) : (!mdh.mda<4, f32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @combine_without_sign(%a: !mdh.mda<4x5, f32>) {
  // expected-error @+1 {{requires #mdh.cc, #mdh.pw<...> or #mdh.ps<...>, each with its '#', but has 'mdh.pw'}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c37_number(%a: !mdh.mda<4x5, f32>, %s: f32) {
  // expected-error @below {{'mdh.hom.md_hom' op C37: requires an initial value for each of the 1 components of the result, but has 2}}
  %0 = mdh.hom.md_hom %a init(%s, %s : f32, f32) combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c37_scalar(%a: !mdh.mda<4x5, f32>, %s: f64) {
  // expected-error @below {{'mdh.hom.md_hom' op C37: requires initial value 1 to have type 'f32' or '!mdh.mda<4x1, f32>', but it has 'f64'}}
  %0 = mdh.hom.md_hom %a init(%s : f64) combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c37_extents(%a: !mdh.mda<?x5, f32>, %b: memref<4x5xf32>) {
  // expected-note @below {{it is defined here}}
  %i = mdh.view.inp_view %b[affine_map<(i, k) -> (i, k)>] : (memref<4x5xf32>) -> !mdh.mda<4x5, f32>
  // expected-error @below {{'mdh.hom.md_hom' op C37: requires initial value 1 to have type 'f32' or '!mdh.mda<?x1, f32>', but it has '!mdh.mda<4x5, f32>'}}
  %0 = mdh.hom.md_hom %a init(%i : !mdh.mda<4x5, f32>) combine [#mdh.cc, #mdh.ps<add>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<?x5, f32> -> !mdh.mda<?x5, f32>
  return
}

// -----

func.func @c38_only_concatenated(%a: !mdh.mda<4, f32>, %s: f32) {
  // expected-error @below {{'mdh.hom.md_hom' op C38: requires a point-wise or scanned dimension for initial values, but all are concatenated}}
  %0 = mdh.hom.md_hom %a init(%s : f32) combine [#mdh.cc] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c38_functions(%a: !mdh.mda<4x5, f32>, %s: f32) {
  // expected-error @below {{'mdh.hom.md_hom' op C38: requires one function in all dimensions that are combined with initial values, but dimensions 1 and 2 have different ones}}
  %0 = mdh.hom.md_hom %a init(%s : f32) combine [#mdh.pw<max>, #mdh.pw<add>] attributes {homomorphism} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<1x1, f32>
  return
}

// -----

// An empty reduction gives the initial value, so the operator needs no identity.
mdh.hom.operator @left commutative (%a: f32, %b: f32) -> (f32) {
  mdh.hom.yield %a : f32
}
func.func @c21_with_initial_value(%a: !mdh.mda<4x0, f32>, %s: f32) {
  %0 = mdh.hom.md_hom %a init(%s : f32) combine [#mdh.cc, #mdh.pw<@left>] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x0, f32> -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c43_number(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C43: requires a name for each of the 2 dimensions in dimension_names, but has 1}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] attributes {dimension_names = ["i"]} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c43_empty(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C43: requires names without spaces in dimension_names, but one is ""}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] attributes {dimension_names = ["i", ""]} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c43_space(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C43: requires names without spaces in dimension_names, but one is "a row"}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] attributes {dimension_names = ["a row", "k"]} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}

// -----

func.func @c43_twice(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.hom.md_hom' op C43: requires different names in dimension_names, but "i" occurs twice}}
  %0 = mdh.hom.md_hom %a combine [#mdh.cc, #mdh.cc] attributes {dimension_names = ["i", "i"]} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}
