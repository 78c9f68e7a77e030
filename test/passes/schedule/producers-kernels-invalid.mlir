// Rule F6: producers that kernels cannot compute. A host computes all of them.
// RUN: mdh-opt %s --lower-mdh="target=cuda stop-after=loops" --split-input-file --verify-diagnostics
// RUN: mdh-opt %s --lower-mdh="stop-after=loops" --split-input-file -o %t

// The blocks inside of the level compute different parts.
func.func @blocks(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  // expected-error @below {{F6: requires a level inside of all levels of blocks, which compute their own parts, but level (1, 1) of computation 1 is not inside of level (2, 1)}}
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 1], [2, 4], [1, 2], [1, 1], [1, 1]],
      decompose = {tags = [["DM,x", "DM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// The threads of the consumer compute the parts. (On a host, they are lanes.)
func.func @threads(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 8], ["?", 1], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  // expected-error @below {{F6: requires one part in all levels of cores, because each thread runs all loops of the producer, but level (2, 2) of computation 1 has several on CC}}
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[6, 1], [1, 4], [1, 2], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// A part of one thread is not shared.
func.func @own_parts(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]}, at = {consumer = 2, level = [2, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  // expected-error @below {{F6: requires that the consumer copies parts which each thread computes for itself to private memory only, but it copies input 2 to SM[1]}}
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cuda, parts = [[3, 1], [2, 1], [1, 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]], reads = [[["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"]], [["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]}, scalar = {reads = ["DM[1, 2]", "SM[1]"]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// All parts read the whole vector.
func.func @shared(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>] : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 1], [1, 1], ["?", 8], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]],
                   reads = [[["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"], ["DM[1, 2]", "DM[1, 2]"]],
                            [["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"]]]},
      scalar = {reads = ["DM[1, 2]", "RM[1]"]}, at = {consumer = 2, level = [2, 1]}}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %out = mdh.view.inp_view %w[affine_map<(i) -> (i)>] : (tensor<6xf32>) -> !mdh.mda<6, f32>
  // expected-error @below {{F6: requires that computation 1 reads input 2 where it is, because all of its parts read the same elements, but it copies them to RM[1]}}
  %q = mdh.hom.md_hom %out combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[3], [2], [1], [1], [1]],
      decompose = {tags = [["SMX,x"], ["CC,x"], ["DM,x"], ["SM,x"], ["RM,x"]]}}} {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    mdh.hom.yield %e : f32
  } : !mdh.mda<6, f32> -> !mdh.mda<6, f32>
  %y = mdh.view.out_view %q[affine_map<(i) -> (i)>] : !mdh.mda<6, f32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}
