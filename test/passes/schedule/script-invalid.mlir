// Errors of schedules as scripts, at the command that breaks a rule, with the loops before it.
// RUN: mdh-opt %s --mdh-schedule --split-input-file --verify-diagnostics

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S2: level (5, 1) has 80 parts of 1 points, but 64 cover the extent 64 of dimension 1}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  %i1, %i2 = mdh.lowlevel.tile %i by [80]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S2: level (4, 1) has 48 parts of 2 points, but 32 cover the extent 64 of dimension 1}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  %i1, %i2 = mdh.lowlevel.tile %i into [48]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @artificial {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires at most 3 loops of dimension 1, one for each layer of @artificial, but there are 4}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  %i1, %i2, %i3, %i4 = mdh.lowlevel.tile %i by [2, 2, 2]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  mdh.lowlevel.unroll %i2
  // expected-error @below {{requires a loop without a layer: a loop is tiled before it is parallelized, sequentialized, vectorized or unrolled}}
  // expected-note @below {{the loops before: x 8 · registers x 8 · y 48}}
  %a, %b = mdh.lowlevel.tile %i2 by [2]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires a core layer of @cpu that is not for lanes, one of COR, but got GPU}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.parallelize %i on GPU
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires a core layer of @cpu that is not for lanes, one of COR, but got SIMD}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.parallelize %i on SIMD
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires one of 2 dimensions after along, but it is 3}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.parallelize %i on SMX along z
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  mdh.lowlevel.parallelize %i1
  // expected-error @below {{S3: requires a layer of its own for each loop of dimension 1, but COR has another one already}}
  // expected-note @below {{the loops before: threads x 8 · x 8 · y 48}}
  mdh.lowlevel.parallelize %i2
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.combine_in output 1 RM at %k
  // expected-error @below {{S8: re-composition step (3, 2) combines parts of the core layer CC of output buffer 1 in RM, but the system @cuda allows DM, SM}}
  // expected-note @below {{the loops before: x 64 · [output 1 in RM[1]] · y 48}}
  mdh.lowlevel.parallelize %k on CC
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.parallelize %i on CC
  // expected-error @below {{S9: the de-composition phase has 3072 parts on the core layer CC, but the system @cuda allows 1024 (the first of 3 violations)}}
  // expected-note @below {{the loops before: threads x 64 · y 48}}
  mdh.lowlevel.parallelize %k on CC
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires a memory layer of @cpu, one of MM, L3, L2, L1, REG, but got COR}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.sequentialize %i on COR
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @openmp {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  // expected-error @below {{requires a layer of the role lanes, but the layers of @openmp are memory [MM: global, L2: cache, L1: cache] cores [COR: threads]}}
  // expected-note @below {{the loops before: x 8 · x 8 · y 48}}
  mdh.lowlevel.vectorize %i2
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @openmp {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  // expected-error @below {{requires a layer of the role registers, but the layers of @openmp are memory [MM: global, L2: cache, L1: cache] cores [COR: threads]}}
  // expected-note @below {{the loops before: x 8 · x 8 · y 48}}
  mdh.lowlevel.unroll %i2
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires an input from 1 to 2, but it is 3}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.cache input 3 in L2 at %i
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S4: de-composition step (5, 1) places input buffer 2 in SM, but the memory layers of the system @cpu are MM, L3, L2, L1, REG (the first of 7 violations)}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.cache input 2 in SM at %i
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S5: de-composition step (5, 1) gives input buffer 2 the layout [2], but a permutation of 1 to 1 is required (the first of 7 violations)}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.cache input 2 in L2 at %i layout [2]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S12: de-composition step (5, 1) gives input buffer 2 the placement L2[1] buffers 2, but pad and buffers require memory with the roles global, shared and registers}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.cache input 2 in L2 at %i buffers 2
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.cache input 1 in SM at %k
  // expected-error @below {{S5: de-composition step (4, 2) gives input buffer 1 the layout [1, 1], but a permutation of 1 to 2 is required (the first of 4 violations)}}
  // expected-note @below {{the loops before: x 64 · [input 1 in SM[1, 2]] · y 48}}
  mdh.lowlevel.layout input 1 [1, 1] at %k
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires an output from 1 to 1, but it is 2}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.layout output 2 [1]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{S4: the scalar phase places output buffer 1 in SM, but the memory layers of the system @cpu are MM, L3, L2, L1, REG (the first of 6 violations)}}
  // expected-note @below {{the loops before: x 64 · y 48}}
  mdh.lowlevel.combine_in output 1 SM at %k
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  mdh.lowlevel.compute_at computation 2 level(1, 1)
  // expected-error @below {{requires one position in a later computation, but the script has one already}}
  // expected-note @below {{the loops before: x ? · y 48}}
  mdh.lowlevel.compute_at computation 2 level(2, 1)
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cpu {
^bb0(%i: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  // expected-error @below {{S7: the re-composition phase has level (5, 1) outside level (4, 1), but the layers of the prefix-sum dimension 1 must stay in order}}
  // expected-note @below {{the loops before: x 8 · x 8}}
  mdh.lowlevel.interchange %i2, %i1 phase recompose
}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<64, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @cuda {
^bb0(%i: !mdh.loop):
  // expected-error @below {{S9: level (3, 1) of the de-composition phase has a dynamic number of parts (?) on the core layer CC, but the core layer allows at most 1024 parts (the first of 3 violations)}}
  // expected-note @below {{the loops before: x ?}}
  mdh.lowlevel.parallelize %i on CC
}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// -----

// expected-error @below {{requires a loop for each of 2 dimensions, but the block has 1 arguments}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

// expected-error @below {{requires the number of one of the 1 computations of @f, but it is 2}}
mdh.lowlevel.schedule @f computation 2 {
^bb0(%i: !mdh.loop):
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

// expected-note @below {{the other schedule is here}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
}
// expected-error @below {{requires one schedule for a computation, but there is another one}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

// expected-error @below {{requires a system of the module or one of artificial, openmp, openmp_l3_simd, cuda, cuda_wrp, opencl, multi_gpu, multi_node_multi_gpu, cpu, but got tpu}}
mdh.lowlevel.schedule @f on @tpu {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f on @artificial {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{requires a layer for each loop of dimension 1, but 3 sequential loops have the memory layers HM, L1: parallelize, vectorize or unroll one}}
  // expected-note @below {{the loops: x 16 · x 2 · x 2 · y 48}}
  %i1, %i2, %i3 = mdh.lowlevel.tile %i by [2, 2]
}
func.func @f(%M: tensor<64x48xf32>, %v: tensor<48xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x48xf32>, tensor<48xf32>) -> !mdh.mda<64x48, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x48, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{F1: requires the number of a computation of @f as the consumer, from 1 to 2, but it is 3}}
  mdh.lowlevel.compute_at computation 3 level(1, 1)
}
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-note @below {{the computation is here}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{F1: requires a later computation of the same block as the consumer, but computation 1 is not after it}}
  mdh.lowlevel.compute_at computation 1 level(1, 1)
}
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-note @below {{the computation is here}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{F2: requires a level of the consumer, but it has no level (9, 1)}}
  mdh.lowlevel.compute_at computation 2 level(9, 1)
}
func.func @f(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-note @below {{the computation is here}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
