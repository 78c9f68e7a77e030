// RUN: mdh-opt %s --mdh-schedule --split-input-file --verify-diagnostics

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @no_consumer(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F1: requires the number of a computation of @no_consumer as the consumer, from 1 to 2, but it is 3}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 3, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @itself(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F1: requires a later computation of the same block as the consumer, but computation 1 is not after it}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 1, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @read_elsewhere(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F1: requires results that only the consumer reads, but tensor.extract uses them}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  %zero = arith.constant 0 : index
  %e = tensor.extract %sums[%zero] : tensor<6xf32>
  vector.print %e : f32
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @no_level(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F2: requires a level of the consumer, but it has no level (5, 1)}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [5, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @not_shared(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F2: requires a level whose loop is around all phases of the consumer, but level (1, 1) is inside of the first 0 loops, which they share}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]},
      recompose = {order = [[2, 1], [4, 3], [6, 5], [8, 7]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @tile(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F2: requires a level outside of register tiles of the consumer, but level (3, 1) is one around level (3, 1)}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [3, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[1, 8], [1, 1], [6, 1], [1, 1]],
      decompose = {order = [[1, 8], [2, 3], [4, 5], [6, 7]], tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @copied(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F2: requires that the consumer copies no result outside of level (1, 2), but step (1, 1) copies input 2}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 2]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]],
      reads = [[["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"]],
               [["L1[1]", "L1[1]"], ["L1[1]", "L1[1]"], ["L1[1]", "L1[1]"], ["L1[1]", "L1[1]"]]]},
      scalar = {reads = ["MM[1, 2]", "L1[1]"]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @reversed(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F3: requires results with one index function, in which each dimension that they keep is an index alone, and the other indices are constants, but result 1 has another one}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (5 - i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @different(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F3: requires that all indices read along dimension 1 move in the same way with the point of the consumer}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (5 - i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<?x8xf32>) -> !mdh.mda<?x8, f32>
  // expected-error @below {{F3: requires a static number of indices along dimension 1 that move with the point of the consumer, but those that move with dimension 1 are read for all indices of a dimension of dynamic extent}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?x8, f32> -> !mdh.mda<?x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  %both = mdh.view.inp_view %sums[affine_map<(i, j) -> (i + j)>], %w[affine_map<(i, j) -> (j)>] extents(%n)
      : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", "?"], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.mulf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x1, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i)>] : !mdh.mda<?x1, f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @scanned(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F3: requires parts that begin with the first index of a scanned dimension, but those of dimension 1 do not}}
  %r = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @counted(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F4: requires a part count ? in dimension 1, whose extent is that of a part, but all of its counts are numbers}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @distributed(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-warning @+2 {{threads are started 12 times}}
  // expected-error @below {{F4: requires one part in levels of cores, whose threads compute the consumer, but level (4, 2) has several on COR}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 2], [1, 1], [1, 1], [1, 4]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @overwritten(%x: memref<6x8xf32>, %o: memref<6x8xf32>, %c: memref<6xf32>) -> memref<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F5: requires inputs that nothing overwrites before the consumer, but memref.store may overwrite input 1}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%zero, %zero] : memref<6x8xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> memref<6x8xf32>
  return %y : memref<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @by_the_consumer(%x: memref<6x8xf32>, %o: memref<6x8xf32>, %c: memref<6xf32>) -> memref<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F5: requires inputs that the consumer does not overwrite, but it may overwrite input 1}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] into %x : !mdh.mda<6x8, f32>, memref<6x8xf32>
  return %x : memref<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @destination(%x: memref<6x8xf32>, %o: memref<6x8xf32>, %c: memref<6xf32>) -> memref<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F5: requires new results, but has destinations}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %c : !mdh.mda<6x1, f32>, memref<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %c[affine_map<(i, j) -> (i)>]
      : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> memref<6x8xf32>
  return %y : memref<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @initial_elements(%x: memref<6x8xf32>, %o: memref<6x8xf32>, %c: memref<6xf32>) -> memref<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
  %start = mdh.view.inp_view %c[affine_map<(i, k) -> (i)>] : (memref<6xf32>) -> !mdh.mda<6x1, f32>
  // expected-error @below {{F5: requires scalars as initial values, but one is the elements of a buffer}}
  %r = mdh.hom.md_hom %in init(%start : !mdh.mda<6x1, f32>) combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> memref<6x8xf32>
  return %y : memref<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @parts_of_parts(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F1: requires a consumer that is not computed in parts itself, but computation 2 is: name its consumer}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %most = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %two = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %most[affine_map<(i, k) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %t = mdh.hom.md_hom %two combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 3, level = [1, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %t[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @order(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 3, level = [1, 2]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %most = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %two = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>], %most[affine_map<(i, k) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  // expected-error @below {{F2: requires a level that is not inside of that of a producer which reads the results}}
  %t = mdh.hom.md_hom %two combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 3, level = [1, 1]}}} {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %t[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
      : (tensor<6x8xf32>, tensor<6xf32>) -> !mdh.mda<6x8, f32, f32>
  %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32, %s: f32):
    %d = arith.divf %a, %s : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

mdh.lowlevel.system @simple memory [MM: global, L1: cache, REG: registers] cores [COR: threads]
func.func @unread(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (tensor<6x8xf32>) -> !mdh.mda<6x8, f32>
  // expected-error @below {{F1: requires results that the consumer reads, but it reads none along dimension 1}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
  %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
  %q = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8], [1, 1], [1, 1], [1, 1]],
      decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["COR,x", "COR,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<6x8, f32> -> !mdh.mda<6x8, f32>
  %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
