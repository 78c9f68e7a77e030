// RUN: mdh-opt %s --mdh-schedule="machine=%S/../../../examples/machines/avx512.json" --verify-diagnostics | FileCheck %s

// Legal, but nothing that a machine is made for: a warning with the numbers, and the schedule is carried out.
// CHECK-LABEL: func.func @large
func.func @large(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1048576xf32>) -> !mdh.mda<1048576, f32>
  // expected-warning @+2 {{the levels of registers have 4096 parts in total, but a register tile has at most 64 values: the remaining levels become loops}}
  // expected-warning @+1 {{the part of input 1 of step D (1, 1) is in L1, which has 49152 bytes, but takes 4194304}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cpu,
      parts = [[1], [16], [1], [1], [1], [4096], [16]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L3,x"], ["L2,x"], ["L1,x"], ["REG,x"], ["SIMD,x"]],
                   reads = [[["L1[1]"], ["L1[1]"], ["L1[1]"], ["L1[1]"], ["L1[1]"], ["L1[1]"], ["L1[1]"]]]},
      scalar = {reads = ["L1[1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1048576, f32> -> !mdh.mda<1048576, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<1048576, f32> -> tensor<1048576xf32>
  return %o : tensor<1048576xf32>
}

// The lanes are those of a dimension whose part is promoted inside of them: the level is a loop.
// CHECK-LABEL: func.func @promoted
func.func @promoted(%x: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<1024x64xf32>) -> !mdh.mda<1024x64, f32>
  // expected-warning @+1 {{levels (7, 1) on SIMD become loops instead of part of the register tile: a tile has at most 64 values and one level of at most 128 vector lanes, static part counts, and no promotion, scan or threads inside}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cpu,
      parts = [[1, 1], [64, 1], [1, 1], [1, 1], [1, 64], [1, 1], [16, 1]],
      decompose = {order = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 14], [10, 11], [12, 13]],
                   tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L3,x", "L3,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]],
                   reads = [[["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "L1[1, 2]"], ["MM[1, 2]", "MM[1, 2]"], ["MM[1, 2]", "MM[1, 2]"]]]},
      scalar = {reads = ["L1[1, 2]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1024x64, f32> -> !mdh.mda<1024x64, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<1024x64, f32> -> tensor<1024x64xf32>
  return %o : tensor<1024x64xf32>
}

// Threads inside of a loop are started in each of its iterations.
// CHECK-LABEL: func.func @started_in_a_loop
func.func @started_in_a_loop(%x: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<65536x64xf32>) -> !mdh.mda<65536x64, f32>
  // expected-warning @+1 {{threads are started 65536 times, once in each iteration of the loops of levels (2, 1), which takes most of the predicted time: requires levels of cores outside of these loops}}
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cpu,
      parts = [[1, 2], [65536, 1], [1, 1], [1, 1], [1, 32], [1, 1], [1, 1]],
      decompose = {order = [[3, 2], [1, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14]],
                   tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L3,x", "L3,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<65536x64, f32> -> !mdh.mda<65536x64, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<65536x64, f32> -> tensor<65536x64xf32>
  return %o : tensor<65536x64xf32>
}

// The same threads around the loop are started once.
// CHECK-LABEL: func.func @started_once
func.func @started_once(%x: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<65536x64xf32>) -> !mdh.mda<65536x64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @cpu,
      parts = [[1, 2], [65536, 1], [1, 1], [1, 1], [1, 32], [1, 1], [1, 1]],
      decompose = {order = [[3, 1], [2, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14]],
                   tags = [["COR,x", "COR,y"], ["MM,x", "MM,y"], ["L3,x", "L3,y"], ["L2,x", "L2,y"], ["L1,x", "L1,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<65536x64, f32> -> !mdh.mda<65536x64, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<65536x64, f32> -> tensor<65536x64xf32>
  return %o : tensor<65536x64xf32>
}
