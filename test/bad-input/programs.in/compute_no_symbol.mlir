func.func private @mul(%m: f32, %x: f32) -> f32 {
  %product = arith.mulf %m, %x : f32
  return %product : f32
}

func.func private @add(%x: f32, %y: f32) -> f32 {
  %sum = arith.addf %x, %y : f32
  return %sum : f32
}

func.func @compute_matvec_small(%M: memref<128x64xf32>, %v: memref<64xf32>) -> memref<128xf32> {
  %w = mdh.compute "mdh_matvec" { inp_view = [ [ affine_map<( i,k ) -> ( i,k )> ], [ affine_map<( i,k ) -> ( k )  > ] ],
      md_hom = { scalar_func = @times, combine_ops = [ "cc", ["pw",@add] ] },
      out_view = [ [ affine_map<( i,k ) -> ( i )> ] ] }
    { inp_types = [ f32, f32 ], mda_size  = [ 128,64 ], out_types = [ f32 ] }( %M,%v ) : ( memref<128x64xf32> , memref<64xf32> ) -> memref<128xf32>
  return %w : memref<128xf32>
}
