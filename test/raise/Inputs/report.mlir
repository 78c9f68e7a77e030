func.func @sum(%x: memref<20xf32>, %s: memref<f32> {llvm.noalias}) {
  // A reduction.
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %s[] : memref<f32>
    %c = arith.addf %b, %a : f32
    affine.store %c, %s[] : memref<f32>
  }
  return
}
func.func @products(%x: memref<20xf32>) {
  affine.for %i = 2 to 20 {
    %a = affine.load %x[%i - 2] : memref<20xf32>
    %b = affine.load %x[%i] : memref<20xf32>
    %c = arith.mulf %a, %b : f32
    affine.store %c, %x[%i] : memref<20xf32>
  }
  return
}
