// Small computations for the tests of `mdh run`: dynamic sizes, destinations, operators without identity, run-time errors.
#i = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

func.func private @quotient(%x: i32, %y: i32) -> i32 {
  %quotient = arith.divsi %x, %y : i32
  return %quotient : i32
}

func.func @divide(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %in = mdh.view.inp_view %x[#i], %y[#i] : (tensor<?xi32>, tensor<?xi32>) -> !mdh.mda<?, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: i32, %b: i32):
    %quotient = func.call @quotient(%a, %b) : (i32, i32) -> i32
    mdh.hom.yield %quotient : i32
  } : !mdh.mda<?, i32, i32> -> !mdh.mda<?, i32>
  %out = mdh.view.out_view %res[#i] : !mdh.mda<?, i32> -> tensor<?xi32>
  return %out : tensor<?xi32>
}

// The sum of %n elements with odd index, into a buffer of the caller.
func.func @sum_odd(%x: memref<?xi32>, %sum: memref<i32>, %n: index) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (2 * i + 1)>] extents(%n) : (memref<?xi32>) -> !mdh.mda<?, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<?, i32> -> !mdh.mda<1, i32>
  mdh.view.out_view %res[#all] into %sum : !mdh.mda<1, i32>, memref<i32>
  return
}

mdh.hom.operator @larger commutative (%x: i32, %y: i32) -> (i32) {
  %larger = arith.maxsi %x, %y : i32
  mdh.hom.yield %larger : i32
}

func.func @largest(%x: tensor<?xi32>) -> tensor<i32> {
  %in = mdh.view.inp_view %x[#i] : (tensor<?xi32>) -> !mdh.mda<?, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.pw<@larger>] {
  ^bb0(%a: i32):
    mdh.hom.yield %a : i32
  } : !mdh.mda<?, i32> -> !mdh.mda<1, i32>
  %out = mdh.view.out_view %res[#all] : !mdh.mda<1, i32> -> tensor<i32>
  return %out : tensor<i32>
}

// Two computations and scalars around them; the first two elements of the first result are undefined.
func.func @scan_and_square(%x: tensor<4xf32>, %s: f32) -> (tensor<6xf32>, f32, tensor<4xf32>) {
  %in = mdh.view.inp_view %x[#i] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %scanned = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %scan = mdh.view.out_view %scanned[affine_map<(i) -> (i + 2)>] : !mdh.mda<4, f32> -> tensor<6xf32>
  %again = mdh.view.inp_view %scan[affine_map<(i) -> (i + 2)>] : (tensor<6xf32>) -> !mdh.mda<4, f32>
  %squared = mdh.hom.md_hom %again combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %squares = mdh.view.out_view %squared[#i] : !mdh.mda<4, f32> -> tensor<4xf32>
  %double = arith.addf %s, %s : f32
  return %scan, %double, %squares : tensor<6xf32>, f32, tensor<4xf32>
}

// A part count that is derived from the extent, inside three parts.
mdh.lowlevel.system @three memory [MM: global, L1: cache] cores [COR: threads]
func.func @double(%x: tensor<?xi32>) -> tensor<?xi32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xi32>) -> !mdh.mda<?, i32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @three, parts = [[1], [3], ["?"]],
      decompose = {tags = [["COR,x"], ["MM,x"], ["L1,x"]]}}} {
  ^bb0(%a: i32):
    %p = arith.addi %a, %a : i32
    mdh.hom.yield %p : i32
  } : !mdh.mda<?, i32> -> !mdh.mda<?, i32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<?, i32> -> tensor<?xi32>
  return %w : tensor<?xi32>
}
