// RUN: mdh-opt %s --mdh-check --split-input-file --verify-diagnostics

// P2: an MDA comes from a homomorphism in sight.
// expected-error @+1 {{P2: requires buffers, but block argument 1 is an MDA, which is an alias of buffers and cannot be passed as a value}}
func.func @argument(%r: !mdh.mda<8, f32>) -> tensor<8xf32> {
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// P1: nothing stands between the steps of a computation.
func.func @nested(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-note @+1 {{the MDA comes from here}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  // expected-error @+1 {{P1: requires an MDA from mdh.view.inp_view, but it is a result of mdh.hom.md_hom}}
  %s = mdh.hom.md_hom %r combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %s[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// P2: MDAs are no values.
func.func @chosen(%A: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // expected-note @+1 {{the MDA comes from here}}
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-error @+1 {{P2: requires buffers, but operand 2 is an MDA, which is an alias of buffers and cannot be passed as a value}}
  %same = arith.select %c, %in, %in : !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %same combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// P3: a destination has one bracket.
func.func @twice(%A: memref<8xf32>, %w: memref<16xf32>) {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a, %a : f32, f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32, f32>
  // expected-error @+1 {{P3: requires a different destination for each bracket, but 1 and 2 are the same buffer}}
  mdh.view.out_view %r[affine_map<(i) -> (2 * i)>], [affine_map<(i) -> (2 * i + 1)>] into %w, %w
      : !mdh.mda<8, f32, f32>, memref<16xf32>, memref<16xf32>
  return
}

// -----

// P6: calls end.
func.func private @around(%a: f32) -> f32 {
  %r = func.call @again(%a) : (f32) -> f32
  return %r : f32
}
func.func private @again(%a: f32) -> f32 {
  // expected-error @+1 {{P6: requires functions without recursion, but @around calls itself}}
  %r = func.call @around(%a) : (f32) -> f32
  return %r : f32
}
func.func @recursive(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-note @+1 {{called for this operation}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = func.call @around(%a) : (f32) -> f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// P7: generated code calls malloc, and not this.
// expected-error @+1 {{P7: requires a function with a body to have another name than @malloc, because generated code calls an external function of this name}}
func.func @malloc(%size: i64) -> i64 {
  return %size : i64
}
// A declaration is what it says.
func.func private @free(%p: i64)
func.func @main(%size: i64) -> i64 {
  return %size : i64
}

// -----

// C15: what a scalar function calls holds what it may hold itself, however far away.
func.func private @near(%a: f32) -> f32 {
  %r = func.call @far(%a) : (f32) -> f32
  return %r : f32
}
func.func private @far(%a: f32) -> f32 {
  // expected-error @+1 {{C15: requires an operation of arith or math, scf.if, scf.for, scf.while or func.call, all on scalars, in a function that a scalar function calls}}
  %m = memref.alloc() : memref<f32>
  memref.store %a, %m[] : memref<f32>
  return %a : f32
}
func.func @calls(%A: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  // expected-note @+1 {{called for this operation}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = func.call @near(%a) : (f32) -> f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// P8: such operations are raised before, if their sizes are static.
func.func @f(%x: tensor<?x12xf32>, %e: tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32> {
  // expected-error @+1 {{P8: requires operations that passes lower to loops, but linalg.pack has not been raised}}
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e : tensor<?x12xf32> -> tensor<2x4x4x3xf32>
  return %p : tensor<2x4x4x3xf32>
}
