// The Mandelbrot set: the number of iterations of z := z^2 + c, from z = 0, until |z| exceeds 2, at most 64
// (MDH, Figure 16: Mandelbrot). c is the point (i, j) of a grid over -2 <= re < 1, -1.5 <= im < 1.5: without data the
// scalar function uses the index of its point (@mandelbrot_small); @mandelbrot takes the coordinates of the grid as data.
//
//   python3 examples/generate.py mandelbrot
//   mdh run examples/mandelbrot.mlir --function mandelbrot \
//       --input data/mandelbrot/im.npy \
//       --input data/mandelbrot/re.npy \
//       --output data/mandelbrot/O.npy --check
//   mdh run examples/mandelbrot.mlir --function mandelbrot_1024 --output data/mandelbrot/O.npy
//   mdh-opt --lower-mdh examples/mandelbrot.mlir

#im = affine_map<(i, j) -> (i)>
#re = affine_map<(i, j) -> (j)>
#out = affine_map<(i, j) -> (i, j)>

func.func private @steps(%re: f32, %im: f32) -> i32 {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %four = arith.constant 4.0 : f32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 64 : i32
  %x_last, %y_last, %steps = scf.while (%x = %zero, %y = %zero, %step = %none) : (f32, f32, i32) -> (f32, f32, i32) {
    %xx = arith.mulf %x, %x : f32
    %yy = arith.mulf %y, %y : f32
    %square = arith.addf %xx, %yy : f32
    %inside = arith.cmpf ole, %square, %four : f32
    %more = arith.cmpi slt, %step, %most : i32
    %continue = arith.andi %inside, %more : i1
    scf.condition(%continue) %x, %y, %step : f32, f32, i32
  } do {
  ^bb0(%x: f32, %y: f32, %step: i32):
    %xx = arith.mulf %x, %x : f32
    %yy = arith.mulf %y, %y : f32
    %difference = arith.subf %xx, %yy : f32
    %x_next = arith.addf %difference, %re : f32
    %xy = arith.mulf %x, %y : f32
    %xy2 = arith.mulf %xy, %two : f32
    %y_next = arith.addf %xy2, %im : f32
    %step_next = arith.addi %step, %one : i32
    scf.yield %x_next, %y_next, %step_next : f32, f32, i32
  }
  return %steps : i32
}

// Coordinate %index of a grid that starts at %first with spacing %distance.
func.func private @coordinate(%index: index, %first: f32, %distance: f32) -> f32 {
  %integer = arith.index_cast %index : index to i32
  %number = arith.sitofp %integer : i32 to f32
  %offset = arith.mulf %number, %distance : f32
  %coordinate = arith.addf %first, %offset : f32
  return %coordinate : f32
}

// The extents follow from the buffers.
func.func @mandelbrot(%im: tensor<?xf32>, %re: tensor<?xf32>) -> tensor<?x?xi32> {
  %in = mdh.view.inp_view %im[#im], %re[#re] : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?x?, f32, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%y: f32, %x: f32):
    %steps = func.call @steps(%x, %y) : (f32, f32) -> i32
    mdh.hom.yield %steps : i32
  } : !mdh.mda<?x?, f32, f32> -> !mdh.mda<?x?, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<?x?, i32> -> tensor<?x?xi32>
  return %out : tensor<?x?xi32>
}

func.func @mandelbrot_small() -> tensor<16x16xi32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<16x16>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %top = arith.constant -1.5 : f32
    %left = arith.constant -2.0 : f32
    %distance = arith.constant 0.1875 : f32
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %y = func.call @coordinate(%i, %top, %distance) : (index, f32, f32) -> f32
    %x = func.call @coordinate(%j, %left, %distance) : (index, f32, f32) -> f32
    %steps = func.call @steps(%x, %y) : (f32, f32) -> i32
    mdh.hom.yield %steps : i32
  } : !mdh.mda<16x16> -> !mdh.mda<16x16, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<16x16, i32> -> tensor<16x16xi32>
  return %out : tensor<16x16xi32>
}

func.func @mandelbrot_1024() -> tensor<1024x1024xi32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<1024x1024>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %top = arith.constant -1.5 : f32
    %left = arith.constant -2.0 : f32
    %distance = arith.constant 0.0029296875 : f32
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %y = func.call @coordinate(%i, %top, %distance) : (index, f32, f32) -> f32
    %x = func.call @coordinate(%j, %left, %distance) : (index, f32, f32) -> f32
    %steps = func.call @steps(%x, %y) : (f32, f32) -> i32
    mdh.hom.yield %steps : i32
  } : !mdh.mda<1024x1024> -> !mdh.mda<1024x1024, i32>
  %out = mdh.view.out_view %res[#out] : !mdh.mda<1024x1024, i32> -> tensor<1024x1024xi32>
  return %out : tensor<1024x1024xi32>
}
