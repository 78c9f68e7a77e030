// Part counts are rounded up: parts at the end of a dimension are smaller than the others, or empty.
// RUN: mdh explain %s --threads 2 --machine %examples/machines/avx512.json --why | FileCheck %s

// Two threads take as long for 7 rows as for 8: one of them has 4.
// CHECK: @seven, computation 1
// CHECK: loops: threads x 2 · x 4 · y 256 · vector y 16
// CHECK: instructions: [[TIME:.*]]
// CHECK: @eight, computation 1
// CHECK: loops: threads x 2 · x 4 · y 256 · vector y 16
// CHECK: instructions: [[TIME]]{{$}}

// Parts without rows move no data.
// CHECK: @exact, computation 1
// CHECK: loops: x 24 · y 65536 · vector y 16
// CHECK: from L2: [[L2:.*]]
// CHECK: from L3: [[L3:.*]]
// CHECK: from memory: [[MEMORY:.*]]
// CHECK: @rounded, computation 1
// CHECK: loops: x 2 · x 16 · y 65536 · vector y 16
// CHECK: from L2: [[L2]]{{$}}
// CHECK: from L3: [[L3]]{{$}}
// CHECK: from memory: [[MEMORY]]{{$}}

#rows = affine_map<(i, j) -> (i, j)>

func.func @seven(%x: tensor<7x4096xf32>) -> tensor<7x4096xf32> {
  %in = mdh.view.inp_view %x[#rows] : (tensor<7x4096xf32>) -> !mdh.mda<7x4096, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<7x4096, f32> -> !mdh.mda<7x4096, f32>
  %y = mdh.view.out_view %r[#rows] : !mdh.mda<7x4096, f32> -> tensor<7x4096xf32>
  return %y : tensor<7x4096xf32>
}

mdh.lowlevel.schedule @seven on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [4]
  %j1, %j2 = mdh.lowlevel.tile %j by [16]
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.vectorize %j2
}

func.func @eight(%x: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
  %in = mdh.view.inp_view %x[#rows] : (tensor<8x4096xf32>) -> !mdh.mda<8x4096, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<8x4096, f32> -> !mdh.mda<8x4096, f32>
  %y = mdh.view.out_view %r[#rows] : !mdh.mda<8x4096, f32> -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}

mdh.lowlevel.schedule @eight on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [4]
  %j1, %j2 = mdh.lowlevel.tile %j by [16]
  mdh.lowlevel.parallelize %i1
  mdh.lowlevel.vectorize %j2
}

func.func @exact(%x: tensor<24x1048576xf32>) -> tensor<24x1048576xf32> {
  %in = mdh.view.inp_view %x[#rows] : (tensor<24x1048576xf32>) -> !mdh.mda<24x1048576, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<24x1048576, f32> -> !mdh.mda<24x1048576, f32>
  %y = mdh.view.out_view %r[#rows] : !mdh.mda<24x1048576, f32> -> tensor<24x1048576xf32>
  return %y : tensor<24x1048576xf32>
}

mdh.lowlevel.schedule @exact on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  %j1, %j2 = mdh.lowlevel.tile %j by [16]
  mdh.lowlevel.sequentialize %i on L1
  mdh.lowlevel.vectorize %j2
}

func.func @rounded(%x: tensor<24x1048576xf32>) -> tensor<24x1048576xf32> {
  %in = mdh.view.inp_view %x[#rows] : (tensor<24x1048576xf32>) -> !mdh.mda<24x1048576, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    mdh.hom.yield %n : f32
  } : !mdh.mda<24x1048576, f32> -> !mdh.mda<24x1048576, f32>
  %y = mdh.view.out_view %r[#rows] : !mdh.mda<24x1048576, f32> -> tensor<24x1048576xf32>
  return %y : tensor<24x1048576xf32>
}

mdh.lowlevel.schedule @rounded on @cpu {
^bb0(%i: !mdh.loop, %j: !mdh.loop):
  %i1, %i2 = mdh.lowlevel.tile %i by [16]
  %j1, %j2 = mdh.lowlevel.tile %j by [16]
  mdh.lowlevel.vectorize %j2
}
