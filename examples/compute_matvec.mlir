// MatVec in the form published on mdh-lang.org.
// mdh.compute expresses matvec.mlir as one operation; mdh-expand-compute expands it.
//
//   python3 examples/generate.py compute_matvec
//   mdh run examples/compute_matvec.mlir --function compute_matvec_small \
//       --input data/compute_matvec/M.npy \
//       --input data/compute_matvec/v.npy \
//       --output data/compute_matvec/w.npy --check
//   mdh-opt --lower-mdh examples/compute_matvec.mlir

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
      md_hom = { scalar_func = @mul, combine_ops = [ "cc", ["pw",@add] ] },
      out_view = [ [ affine_map<( i,k ) -> ( i )> ] ] }
    { inp_types = [ f32, f32 ], mda_size  = [ 128,64 ], out_types = [ f32 ] }( %M,%v ) : ( memref<128x64xf32> , memref<64xf32> ) -> memref<128xf32>
  return %w : memref<128xf32>
}
