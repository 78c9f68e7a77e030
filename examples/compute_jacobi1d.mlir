// Jacobi1D in the form published on mdh-lang.org.
// mdh.compute expresses jacobi1d.mlir as one operation; mdh-expand-compute expands it.
//
//   python3 examples/generate.py compute_jacobi1d
//   mdh run examples/compute_jacobi1d.mlir --function compute_jacobi1d_small \
//       --input data/compute_jacobi1d/x.npy \
//       --output data/compute_jacobi1d/y.npy --check
//   mdh-opt --lower-mdh examples/compute_jacobi1d.mlir

func.func private @jacobi(%x0: f32, %x1: f32, %x2: f32) -> f32 {
  %three = arith.constant 3.0 : f32
  %sum01 = arith.addf %x0, %x1 : f32
  %sum = arith.addf %sum01, %x2 : f32
  %mean = arith.divf %sum, %three : f32
  return %mean : f32
}

func.func @compute_jacobi1d_small(%x: memref<64xf32>) -> memref<62xf32> {
  %y = mdh.compute "mdh_jacobi1d" { inp_view = [ [ affine_map<( i ) -> ( i+0 )>, affine_map<( i ) -> ( i+1 )>, affine_map<( i ) -> ( i+2 )> ] ],
      md_hom = { scalar_func = @jacobi, combine_ops = [ "cc" ] },
      out_view = [ [ affine_map<( i ) -> ( i )> ] ] }
    { inp_types = [ f32 ], mda_size = [ 62 ], out_types = [ f32 ] }( %x ) : ( memref<64xf32> ) -> (memref<62xf32>)
  return %y : memref<62xf32>
}
