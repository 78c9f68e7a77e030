// RUN: mdh-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'mdh.lowlevel.system' op C26: requires at least one memory layer}}
mdh.lowlevel.system @c26_memory memory [] cores [COR: threads]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires layers with different names, but COR occurs twice}}
mdh.lowlevel.system @c26_unique memory [MM: global, COR: cache] cores [COR: threads]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires layers with a name, but one is empty}}
mdh.lowlevel.system @c26_empty memory [MM: global, "": cache] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires names of letters, digits and _ that start with no digit for layers, but one is "@A"}}
mdh.lowlevel.system @c26_symbol memory ["@A": global] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires names of letters, digits and _ that start with no digit for layers, but one is "A "}}
mdh.lowlevel.system @c26_space memory ["A ": global] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires names of letters, digits and _ that start with no digit for layers, but one is "A]"}}
mdh.lowlevel.system @c26_bracket memory [MM: global] cores ["A]": threads]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires names of letters, digits and _ that start with no digit for layers, but one is "2L"}}
mdh.lowlevel.system @c26_digit memory [MM: global] cores ["2L": threads]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires a region in combine for each of the 1 core layers, but has 0}}
mdh.lowlevel.system @c26_combine_count memory [MM: global] cores [COR: threads] combine []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires memory layers in combine, but has COR}}
mdh.lowlevel.system @c26_combine_region memory [MM: global] cores [COR: threads] combine [COR]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires a limit for each of the 1 core layers, but has 2}}
mdh.lowlevel.system @c26_limit_count memory [MM: global] cores [COR: threads] limit [1, 2]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C26: requires limits of at least 1 or ?, but has 0}}
mdh.lowlevel.system @c26_limit memory [MM: global] cores [COR: threads] limit [0]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C33: requires a role for each of the 1 memory layers and 1 core layers, but has 1 and 0}}
"mdh.lowlevel.system"() {sym_name = "c33_count", memory = ["MM"], cores = ["COR"], memory_roles = [#mdh.memory_role<global>], core_roles = []} : () -> ()

// -----

// expected-error @below {{expected a role for each layer, such as COR: threads}}
mdh.lowlevel.system @c33_some memory [MM: global] cores [COR]

// -----

// expected-error @below {{expected a role, one of node, global, shared, cache, registers, got 'threads'}}
mdh.lowlevel.system @c33_kind memory [MM: threads] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C34: requires the role node or global of the outermost memory layer, but L1 is cache}}
mdh.lowlevel.system @c34_outermost memory [L1: cache, MM: global] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C34: requires memory in the order node, global, shared or cache, registers, but REG (registers) is outside of L1 (cache)}}
mdh.lowlevel.system @c34_registers memory [MM: global, REG: registers, L1: cache] cores []

// -----

// expected-error @below {{'mdh.lowlevel.system' op C35: requires cores in the order ranks, devices, blocks, warps, threads, lanes, and matrix inside of blocks, but SIMD (lanes) is outside of COR (threads)}}
mdh.lowlevel.system @c35_lanes memory [MM: global] cores [SIMD: lanes, COR: threads]

// -----

// expected-error @below {{'mdh.lowlevel.system' op C36: requires at most one layer of each role but node, cache and threads, but A and B are both shared}}
mdh.lowlevel.system @c36_shared memory [MM: global, A: shared, B: shared] cores []

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c27_layer(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op C27: requires a layer of at least 1, but it is 0}}
  %1 = mdh.lowlevel.decompose %0 level(0, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c27_dimension(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op C27: requires a dimension from 1 to 2, but it is 3}}
  %2 = mdh.lowlevel.decompose %1 level(1, 3) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

func.func @c28_reads(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.lowlevel.decompose' op C28: requires placements in reads, but has "HM"}}
  %0 = "mdh.lowlevel.decompose"(%a) <{layer = 1 : i64, dimension = 1 : i64, parts = 4 : i64, reads = ["HM"]}> : (!mdh.mda<4, f32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c28_order(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op C28: requires rows of positions in order, but has 1 : i64}}
  %0 = "mdh.lowlevel.scalar"(%a) <{system = @small, order = [1]}> ({
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  }) : (!mdh.mda<4, f32>) -> !mdh.mda<4, f32>
  return
}

// -----

func.func @c28_tags(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op C28: requires tags in tags, but has "HM"}}
  %0 = mdh.lowlevel.scalar %a on @small order [[1]] tags ["HM"] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c29_operator(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op C29: requires #mdh.cc, #mdh.pw or #mdh.ps as operator, but has "cc"}}
  %9 = mdh.lowlevel.recompose %8 combine "cc" level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c13_scalar_function(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op C13: requires a scalar function of 2 arguments, one for each component of the MDA, but it has 3}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32, %y: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

func.func @c29_components(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C29: requires a result with the components of its operand, but the types are '!mdh.mda<8x6, f32>' and '!mdh.mda<8x6, f64>'}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.cc level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<8x6, f64>
  return
}

// -----

func.func @c29_rank(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C29: requires a result with 2 extents, but it has 1}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.cc level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<8, f32>
  return
}

// -----

func.func @c29_extent(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C29: requires extent 6 of the result in dimension 2, but it has 3}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.cc level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  return
}

// -----

func.func @c29_extent_of_another_dimension(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C29: requires extent 8 of the result in dimension 1, but it has 4}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.pw<add> level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<4x1, f32>
  return
}

// -----

func.func @c17_operator_of_a_step(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C17: requires an integer type for the function or of dimension 2, but component 1 has type 'f32'}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.pw<or> level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<8x1, f32>
  return
}

// -----

func.func @c19_operator_of_a_step(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.recompose' op C19: requires an mdh.hom.operator @sum for dimension 2, but there is no such symbol}}
  %0 = mdh.lowlevel.recompose %a combine #mdh.pw<@sum> level(1, 2) parts 6 : !mdh.mda<8x6, f32> -> !mdh.mda<8x1, f32>
  return
}

// -----

func.func @c30_extents(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op C30: requires a result with the extents of its operand, but the types are '!mdh.mda<8x6, f32>' and '!mdh.mda<8x1, f32>'}}
  %0 = mdh.lowlevel.scalar %a on @small order [[1, 2]] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<8x6, f32> -> !mdh.mda<8x1, f32>
  return
}

// -----

func.func @c30_no_component(%a: !mdh.mda<8x6, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op C30: requires at least one component of the result}}
  %0 = mdh.lowlevel.scalar %a on @small order [[1, 2]] {
  ^bb0(%x: f32):
    mdh.hom.yield
  } : !mdh.mda<8x6, f32> -> !mdh.mda<8x6>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
// expected-note @below {{the symbol is here}}
func.func @c31_system(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op C31: requires an mdh.lowlevel.system, but @c31_system is func.func}}
  %7 = mdh.lowlevel.scalar %6 on @c31_system order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c32_operators(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  // expected-note @below {{the other step is here}}
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op C32: requires the operator #mdh.pw<add> in all steps of dimension 2, but has #mdh.pw<mul>}}
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<mul> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c32_extent(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op C32: requires extent 3 of the result in dimension 2, the number of parts that are still to be combined, but it has 2}}
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x2, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x2, f32> -> !mdh.mda<8x2, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x2, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @c20_lemma_10_of_a_chain(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @+2 {{'mdh.lowlevel.scalar' op C20: requires one function for all dimensions that are not concatenated, but dimension 1 has #mdh.ps<mul> and dimension 2 has #mdh.pw<add>}}
  // expected-note @below {{if the order of the dimensions does not change the result, declare it with 'attributes {homomorphism}' after the operators, or use one mdh.hom.operator on tuples; otherwise write one computation per operator}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.ps<mul> level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.ps<mul> level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.ps<mul> level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_level_twice(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-note @below {{the other step is here}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S1: the de-composition phase has the level (1, 1) twice}}
  %2 = mdh.lowlevel.decompose %1 level(1, 1) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_unknown_level(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S1: the de-composition phase has the level (4, 2), but there are 3 layers and 2 dimensions}}
  %6 = mdh.lowlevel.decompose %5 level(4, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_missing_level(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  // expected-note @below {{the phase ends at this view}}
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: the de-composition phase lacks the level (3, 1)}}
  %7 = mdh.lowlevel.scalar %5 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_recompose_missing_level(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: the re-composition phase lacks the level (1, 1)}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  // expected-note @below {{the phase ends at this view}}
  mdh.view.out_view %12[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_recompose_level_twice(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  // expected-note @below {{the other step is here}}
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op S1: the re-composition phase has the level (3, 2) twice}}
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 2) parts 2 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_order_rows(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order with 3 rows, the layers of the system, but has 2}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_order_columns(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order with a position for each of the 2 dimensions, but layer 2 has 1}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_order_permutation(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order that is a permutation of 1 to 6, but 7 is not among them}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 7]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s1_order_twice(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order that is a permutation of 1 to 6, but 5 occurs twice}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 5]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_not_covered(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 3 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S2: the part counts of dimension 1 multiply to 6, but its extent is 8}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 3 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_always_empty(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S2: level (1, 1) has 3 parts of 4 points, but 2 cover the extent 8 of dimension 1}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 3 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 3 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_phases_disagree(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-note @below {{the step of the de-composition is here}}
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 5 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op S2: level (2, 1) has 5 parts in the de-composition, but 4 in the re-composition}}
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_no_parts(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S2: level (2, 1) has 0 parts, but at least 1 is required}}
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 0 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_negative_parts(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S2: level (2, 1) has -4 parts, but at least 1 is required}}
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts -4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s2_too_many_parts(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S2: the part counts of dimension 1 multiply to more than 2^62}}
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 9223372036854775807 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 9223372036854775807 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s3_layer(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S3: level (1, 1) of the de-composition phase is tagged with the layer L2, but the system @small has the layers HM, L1, COR}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<L2, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s3_dimension(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S3: level (1, 1) of the de-composition phase is tagged with the dimension 3, but there are 2}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, z> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s3_twice(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-note @below {{the other step is here}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S3: levels (1, 1) and (1, 2) of the de-composition phase have the same tag (HM, 1)}}
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s3_scalar_twice(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S3: levels (1, 1) and (1, 2) of the scalar phase have the same tag (HM, 2)}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, y>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s3_scalar_count(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S3: requires a tag for each of the 6 levels of the scalar phase, but has 5}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s4_region(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S4: the scalar phase places input buffer 1 in COR, but the memory layers of the system @small are HM, L1}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [COR[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s5_layout(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S5: the scalar phase gives input buffer 1 the layout [2, 2], but a permutation of 1 to 2 is required}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 2], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s5_layout_of_a_step(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op S5: re-composition step (2, 2) gives output buffer 1 the layout [1, 2], but a permutation of 1 to 1 is required}}
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1, 2]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s6_number_of_placements(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S6: de-composition step (1, 1) places 1 input buffers, but there are 2}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s6_number_of_outputs(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S6: the scalar phase places 2 output buffers, but there are 1}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1], L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s8_combining_across_cores(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  // expected-error @below {{'mdh.lowlevel.recompose' op S8: re-composition step (2, 2) combines parts of the core layer COR of output buffer 1 in L1, but the system @small allows HM}}
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [8]
func.func @s9_limit(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts 4 tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S9: the de-composition phase has 12 parts on the core layer COR, but the system @small allows 8}}
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts 4 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts 2 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [HM: global, L1: cache] cores [COR: threads] combine [HM] limit [16]
func.func @s10_two_dynamic(%M: memref<8x6xf32>, %v: memref<6xf32>, %w: memref<8xf32>) {
  %0 = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (memref<8x6xf32>, memref<6xf32>) -> !mdh.mda<8x6, f32, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts ? tag #mdh.tag<HM, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %2 = mdh.lowlevel.decompose %1 level(1, 2) parts 1 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %3 = mdh.lowlevel.decompose %2 level(2, 1) parts ? tag #mdh.tag<COR, x> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %4 = mdh.lowlevel.decompose %3 level(2, 2) parts 3 tag #mdh.tag<COR, y> reads [HM[1, 2], HM[1]] : !mdh.mda<8x6, f32, f32>
  %5 = mdh.lowlevel.decompose %4 level(3, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  %6 = mdh.lowlevel.decompose %5 level(3, 2) parts 2 tag #mdh.tag<L1, y> reads [L1[2, 1], L1[1]] : !mdh.mda<8x6, f32, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S10: dimension 1 has 2 part counts that are ?, but at most one can follow from the extent}}
  %7 = mdh.lowlevel.scalar %6 on @small order [[1, 2], [3, 4], [5, 6]] tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>] reads [L1[2, 1], L1[1]] writes [L1[1]] {
  ^bb0(%m: f32, %x: f32):
    %p = arith.mulf %m, %x : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<8x6, f32, f32> -> !mdh.mda<8x6, f32>
  %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 2 tag #mdh.tag<L1, y> writes [L1[1]] : !mdh.mda<8x6, f32> -> !mdh.mda<8x3, f32>
  %9 = mdh.lowlevel.recompose %8 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<L1, x> writes [L1[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x3, f32>
  %10 = mdh.lowlevel.recompose %9 combine #mdh.pw<add> level(2, 2) parts 3 tag #mdh.tag<COR, y> writes [HM[1]] : !mdh.mda<8x3, f32> -> !mdh.mda<8x1, f32>
  %11 = mdh.lowlevel.recompose %10 combine #mdh.cc level(2, 1) parts ? tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %12 = mdh.lowlevel.recompose %11 combine #mdh.pw<add> level(1, 2) parts 1 tag #mdh.tag<HM, y> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  %13 = mdh.lowlevel.recompose %12 combine #mdh.cc level(1, 1) parts ? tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<8x1, f32> -> !mdh.mda<8x1, f32>
  mdh.view.out_view %13[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
  return
}

// -----

mdh.lowlevel.system @small memory [MM: global] cores [COR: threads] limit [4]
func.func @s7_prefix_sum(%a: memref<8xi32>, %b: memref<8xi32>) {
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (memref<8xi32>) -> !mdh.mda<8, i32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 2 : !mdh.mda<8, i32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 4 : !mdh.mda<8, i32>
  %3 = mdh.lowlevel.scalar %2 on @small order [[1], [2]] {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  // expected-note @below {{the other step is here}}
  %4 = mdh.lowlevel.recompose %3 combine #mdh.ps<add> level(1, 1) parts 2 : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  // expected-error @below {{'mdh.lowlevel.recompose' op S7: the re-composition phase has level (2, 1) outside level (1, 1), but the layers of the prefix-sum dimension 1 must stay in order}}
  %5 = mdh.lowlevel.recompose %4 combine #mdh.ps<add> level(2, 1) parts 4 : !mdh.mda<8, i32> -> !mdh.mda<8, i32>
  mdh.view.out_view %5[affine_map<(i) -> (i)>] into %b : !mdh.mda<8, i32>, memref<8xi32>
  return
}

// -----

mdh.lowlevel.system @small memory [MM: global] cores [COR: threads] limit [4]
func.func @s10_dynamic_extent(%a: memref<?xi32>, %b: memref<i32>) {
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (memref<?xi32>) -> !mdh.mda<?, i32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 8 : !mdh.mda<?, i32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 4 : !mdh.mda<?, i32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S10: dimension 1 has a dynamic extent, so one of its part counts must be ?, but all are numbers}}
  %3 = mdh.lowlevel.scalar %2 on @small order [[1], [2]] {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<?, i32> -> !mdh.mda<?, i32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.pw<add> level(2, 1) parts 4 : !mdh.mda<?, i32> -> !mdh.mda<8, i32>
  %5 = mdh.lowlevel.recompose %4 combine #mdh.pw<add> level(1, 1) parts 8 : !mdh.mda<8, i32> -> !mdh.mda<1, i32>
  mdh.view.out_view %5[affine_map<(i) -> ()>] into %b : !mdh.mda<1, i32>, memref<i32>
  return
}

// -----

mdh.lowlevel.system @small memory [MM: global] cores [COR: threads] limit [4]
func.func @s9_dynamic(%a: memref<?xi32>, %b: memref<i32>) {
  %0 = mdh.view.inp_view %a[affine_map<(i) -> (i)>] : (memref<?xi32>) -> !mdh.mda<?, i32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S9: level (1, 1) of the de-composition phase has a dynamic number of parts (?) on the core layer COR, but the core layer allows at most 4 parts}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts ? tag #mdh.tag<COR, x> : !mdh.mda<?, i32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 4 tag #mdh.tag<MM, x> : !mdh.mda<?, i32>
  %3 = mdh.lowlevel.scalar %2 on @small order [[1], [2]] {
  ^bb0(%x: i32):
    mdh.hom.yield %x : i32
  } : !mdh.mda<?, i32> -> !mdh.mda<?, i32>
  %4 = mdh.lowlevel.recompose %3 combine #mdh.pw<add> level(2, 1) parts 4 : !mdh.mda<?, i32> -> !mdh.mda<?, i32>
  %5 = mdh.lowlevel.recompose %4 combine #mdh.pw<add> level(1, 1) parts ? : !mdh.mda<?, i32> -> !mdh.mda<1, i32>
  mdh.view.out_view %5[affine_map<(i) -> ()>] into %b : !mdh.mda<1, i32>, memref<i32>
  return
}

// -----

module {
  // expected-error @below {{'mdh.lowlevel.recompose' op C25: requires an MDA that is defined before it is used}}
  // expected-note @below {{the MDA is defined here}}
  %c25_own_result = mdh.lowlevel.recompose %c25_own_result combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
}

// -----

module {
  // expected-error @below {{'mdh.lowlevel.decompose' op C25: requires an MDA that is defined before it is used}}
  %c25_later = mdh.lowlevel.decompose %other level(1, 1) parts 4 : !mdh.mda<4, f32>
  // expected-note @below {{the MDA is defined here}}
  %other = mdh.lowlevel.decompose %c25_later level(2, 1) parts 4 : !mdh.mda<4, f32>
}

// -----

// expected-error @below {{expected ','}}
func.func @tag_syntax() attributes {mdh.tag = #mdh.tag<HM>} { return }

// -----

// expected-error @below {{expected integer value}}
func.func @placement_syntax() attributes {mdh.placement = #mdh.placement<HM[x]>} { return }

// -----

func.func @s1_no_layers(%x: memref<1xf32>, %w: memref<1xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<1xf32>) -> !mdh.mda<1, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order with a row for each layer, but it is empty}}
  %1 = mdh.lowlevel.scalar %0 on @none order [] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1, f32> -> !mdh.mda<1, f32>
  mdh.view.out_view %1[affine_map<(i) -> (i)>] into %w : !mdh.mda<1, f32>, memref<1xf32>
  return
}

// -----

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads]
func.func @s12_outputs(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<DM, x> reads [DM[1]] : !mdh.mda<4, f32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 tag #mdh.tag<SM, x> reads [DM[1]] : !mdh.mda<4, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 tag #mdh.tag<RM, x> reads [DM[1]] : !mdh.mda<4, f32>
  %4 = mdh.lowlevel.decompose %3 level(4, 1) parts 1 tag #mdh.tag<SMX, x> reads [DM[1]] : !mdh.mda<4, f32>
  %5 = mdh.lowlevel.decompose %4 level(5, 1) parts 1 tag #mdh.tag<CC, x> reads [DM[1]] : !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.scalar' op S12: the scalar phase gives output buffer 1 the placement RM[1] pad 1, but pad and buffers are for parts of inputs}}
  %s = mdh.lowlevel.scalar %5 on @device order [[1], [2], [3], [4], [5]] tags [#mdh.tag<DM, x>, #mdh.tag<SM, x>, #mdh.tag<RM, x>, #mdh.tag<SMX, x>, #mdh.tag<CC, x>] reads [DM[1]] writes [RM[1] pad 1] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r4 = mdh.lowlevel.recompose %s combine #mdh.cc level(5, 1) parts 1 tag #mdh.tag<CC, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r3 = mdh.lowlevel.recompose %r4 combine #mdh.cc level(4, 1) parts 1 tag #mdh.tag<SMX, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r2 = mdh.lowlevel.recompose %r3 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<RM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r1 = mdh.lowlevel.recompose %r2 combine #mdh.cc level(2, 1) parts 1 tag #mdh.tag<SM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r0 = mdh.lowlevel.recompose %r1 combine #mdh.cc level(1, 1) parts 4 tag #mdh.tag<DM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r0[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads]
func.func @s12_outermost(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<DM, x> reads [DM[1]] : !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S12: de-composition step (2, 1) gives input buffer 1 the placement DM[1] pad 2, but pad and buffers require SM or RM}}
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 tag #mdh.tag<SM, x> reads [DM[1] pad 2] : !mdh.mda<4, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 tag #mdh.tag<RM, x> reads [DM[1]] : !mdh.mda<4, f32>
  %4 = mdh.lowlevel.decompose %3 level(4, 1) parts 1 tag #mdh.tag<SMX, x> reads [DM[1]] : !mdh.mda<4, f32>
  %5 = mdh.lowlevel.decompose %4 level(5, 1) parts 1 tag #mdh.tag<CC, x> reads [DM[1]] : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %5 on @device order [[1], [2], [3], [4], [5]] tags [#mdh.tag<DM, x>, #mdh.tag<SM, x>, #mdh.tag<RM, x>, #mdh.tag<SMX, x>, #mdh.tag<CC, x>] reads [DM[1]] writes [DM[1]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r4 = mdh.lowlevel.recompose %s combine #mdh.cc level(5, 1) parts 1 tag #mdh.tag<CC, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r3 = mdh.lowlevel.recompose %r4 combine #mdh.cc level(4, 1) parts 1 tag #mdh.tag<SMX, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r2 = mdh.lowlevel.recompose %r3 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<RM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r1 = mdh.lowlevel.recompose %r2 combine #mdh.cc level(2, 1) parts 1 tag #mdh.tag<SM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r0 = mdh.lowlevel.recompose %r1 combine #mdh.cc level(1, 1) parts 4 tag #mdh.tag<DM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r0[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

mdh.lowlevel.system @device memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads]
func.func @s12_shared(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<DM, x> reads [DM[1]] : !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S12: de-composition step (2, 1) gives input buffer 1 the placement RM[1] pad 1 buffers 2, but buffers 2 requires SM}}
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 tag #mdh.tag<SM, x> reads [RM[1] pad 1 buffers 2] : !mdh.mda<4, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 tag #mdh.tag<RM, x> reads [DM[1]] : !mdh.mda<4, f32>
  %4 = mdh.lowlevel.decompose %3 level(4, 1) parts 1 tag #mdh.tag<SMX, x> reads [DM[1]] : !mdh.mda<4, f32>
  %5 = mdh.lowlevel.decompose %4 level(5, 1) parts 1 tag #mdh.tag<CC, x> reads [DM[1]] : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %5 on @device order [[1], [2], [3], [4], [5]] tags [#mdh.tag<DM, x>, #mdh.tag<SM, x>, #mdh.tag<RM, x>, #mdh.tag<SMX, x>, #mdh.tag<CC, x>] reads [DM[1]] writes [DM[1]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r4 = mdh.lowlevel.recompose %s combine #mdh.cc level(5, 1) parts 1 tag #mdh.tag<CC, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r3 = mdh.lowlevel.recompose %r4 combine #mdh.cc level(4, 1) parts 1 tag #mdh.tag<SMX, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r2 = mdh.lowlevel.recompose %r3 combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<RM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r1 = mdh.lowlevel.recompose %r2 combine #mdh.cc level(2, 1) parts 1 tag #mdh.tag<SM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r0 = mdh.lowlevel.recompose %r1 combine #mdh.cc level(1, 1) parts 4 tag #mdh.tag<DM, x> writes [DM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r0[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

// expected-note @below {{the system is here}}
mdh.lowlevel.system @host memory [HM: global, L1: cache] cores [COR: threads]
func.func @s12_system(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<HM, x> reads [HM[1]] : !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S12: de-composition step (2, 1) gives input buffer 1 the placement L1[1] buffers 2, but pad and buffers require memory with the roles global, shared and registers, and cores with the roles blocks, warps if any, and threads, and @host has memory [HM: global, L1: cache] cores [COR: threads]}}
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 tag #mdh.tag<L1, x> reads [L1[1] buffers 2] : !mdh.mda<4, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 tag #mdh.tag<COR, x> reads [HM[1]] : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %3 on @host order [[1], [2], [3]] tags [#mdh.tag<HM, x>, #mdh.tag<L1, x>, #mdh.tag<COR, x>] reads [HM[1]] writes [HM[1]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r2 = mdh.lowlevel.recompose %s combine #mdh.cc level(3, 1) parts 1 tag #mdh.tag<COR, x> writes [HM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r1 = mdh.lowlevel.recompose %r2 combine #mdh.cc level(2, 1) parts 1 tag #mdh.tag<L1, x> writes [HM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r0 = mdh.lowlevel.recompose %r1 combine #mdh.cc level(1, 1) parts 4 tag #mdh.tag<HM, x> writes [HM[1]] : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r0[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

// expected-error @below {{expected a number from 1 to 64 after 'pad', got 0}}
func.func @pad_of_nothing() attributes {mdh.placement = #mdh.placement<SM[1] pad 0>} { return }

// -----

// expected-error @below {{expected a number from 1 to 64 after 'pad', got 65}}
func.func @pad_too_long() attributes {mdh.placement = #mdh.placement<SM[1] pad 65>} { return }

// -----

// expected-error @below {{expected a number from 1 to 2 after 'buffers', got 3}}
func.func @too_many_buffers() attributes {mdh.placement = #mdh.placement<SM[1] pad 1 buffers 3>} { return }

// -----

// expected-error @below {{expected '>'}}
func.func @order_of_suffixes() attributes {mdh.placement = #mdh.placement<SM[1] buffers 2 pad 1>} { return }

// -----

// A built-in system needs no declaration, and has its layers all the same.
func.func @s3_built_in(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S3: level (1, 1) of the de-composition phase is tagged with the layer L2, but the system @artificial has the layers HM, L1, COR}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<L2, x> : !mdh.mda<4, f32>
  %2 = mdh.lowlevel.decompose %1 level(2, 1) parts 1 : !mdh.mda<4, f32>
  %3 = mdh.lowlevel.decompose %2 level(3, 1) parts 1 : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %3 on @artificial order [[1], [2], [3]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r2 = mdh.lowlevel.recompose %s combine #mdh.cc level(3, 1) parts 1 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r1 = mdh.lowlevel.recompose %r2 combine #mdh.cc level(2, 1) parts 1 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r0 = mdh.lowlevel.recompose %r1 combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r0[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

func.func @s1_built_in(%a: !mdh.mda<4, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op S1: requires an order with 3 rows, the layers of the system, but has 1}}
  %0 = mdh.lowlevel.scalar %a on @artificial order [[1]] {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  return
}

// -----

// Layouts and tags that begin below 1 are as they are written in messages.
mdh.lowlevel.system @one memory [HM: global] cores []
func.func @s5_zero(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S5: de-composition step (1, 1) gives input buffer 1 the layout [0], but a permutation of 1 to 1 is required}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 reads [HM[0]] : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %1 on @one order [[1]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r = mdh.lowlevel.recompose %s combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

mdh.lowlevel.system @one memory [HM: global] cores []
func.func @s3_zero(%x: memref<4xf32>, %y: memref<4xf32>) {
  %0 = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<4xf32>) -> !mdh.mda<4, f32>
  // expected-error @below {{'mdh.lowlevel.decompose' op S3: level (1, 1) of the de-composition phase is tagged with the dimension -7, but there are 1}}
  %1 = mdh.lowlevel.decompose %0 level(1, 1) parts 4 tag #mdh.tag<HM, -7> : !mdh.mda<4, f32>
  %s = mdh.lowlevel.scalar %1 on @one order [[1]] {
  ^bb0(%v: f32):
    mdh.hom.yield %v : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %r = mdh.lowlevel.recompose %s combine #mdh.cc level(1, 1) parts 4 : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<4, f32>, memref<4xf32>
  return
}

// -----

func.func @c43_scalar(%a: !mdh.mda<4x5, f32>) {
  // expected-error @below {{'mdh.lowlevel.scalar' op C43: requires a name for each of the 2 dimensions in dimension_names, but has 3}}
  %0 = mdh.lowlevel.scalar %a on @unknown order [[1, 2]] attributes {dimension_names = ["i", "j", "k"]} {
  ^bb0(%x: f32):
    mdh.hom.yield %x : f32
  } : !mdh.mda<4x5, f32> -> !mdh.mda<4x5, f32>
  return
}
