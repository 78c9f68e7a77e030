// Host code around kernels: a border, a loop that carries an array, a loop over memrefs, and two computations in a branch.
func.func @padded(%x: tensor<16xf32>, %border: f32) -> tensor<16xf32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %border : f32
  } : tensor<16xf32> to tensor<18xf32>
  %in = mdh.view.inp_view %p[affine_map<(i, k) -> (i + k)>] : (tensor<18xf32>) -> !mdh.mda<16x3, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<16x3, f32> -> !mdh.mda<16x1, f32>
  %y = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<16x1, f32> -> tensor<16xf32>
  return %y : tensor<16xf32>
}

func.func @often(%x: tensor<?xi32>) -> tensor<?xi32> {
  %begin = arith.constant 3 : index
  %end = arith.constant 17 : index
  %step = arith.constant 2 : index
  %y = scf.for %t = %begin to %end step %step iter_args(%now = %x) -> (tensor<?xi32>) {
    %in = mdh.view.inp_view %now[affine_map<(i) -> (i)>] : (tensor<?xi32>) -> !mdh.mda<?, i32>
    %res = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: i32):
      %three = arith.constant 3 : i32
      %b = arith.muli %a, %three : i32
      mdh.hom.yield %b : i32
    } : !mdh.mda<?, i32> -> !mdh.mda<?, i32>
    %next = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<?, i32> -> tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  return %y : tensor<?xi32>
}

func.func @update(%x: memref<12xi32>, %y: memref<12xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turns = arith.constant 5 : index
  scf.for %t = %c0 to %turns step %c1 {
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>]
        : (memref<12xi32>, memref<12xi32>) -> !mdh.mda<12, i32, i32>
    %res = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      mdh.hom.yield %c : i32
    } : !mdh.mda<12, i32, i32> -> !mdh.mda<12, i32>
    mdh.view.out_view %res[affine_map<(i) -> (i)>] into %y : !mdh.mda<12, i32>, memref<12xi32>
  }
  return
}

func.func @chained(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %long = arith.cmpi sgt, %n, %c100 : index
  %y = scf.if %long -> tensor<?xf32> {
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
    %res = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: f32):
      %b = math.absf %a : f32
      mdh.hom.yield %b : f32
    } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
    %positive = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
    scf.yield %positive : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %in = mdh.view.inp_view %y[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.ps<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %sums = mdh.view.out_view %res[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %sums : tensor<?xf32>
}

// A scalar function uses a scalar of the host.
func.func @captured(%alpha: f32, %x: tensor<16xf32>) -> tensor<16xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<16xf32>) -> !mdh.mda<16, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %alpha : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16, f32> -> !mdh.mda<16, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<16, f32> -> tensor<16xf32>
  return %y : tensor<16xf32>
}
