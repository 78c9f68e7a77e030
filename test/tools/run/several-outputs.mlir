// An operation with several destinations writes all of them; functions that are called repeatedly are analyzed once.
// RUN: mdh run %s --function two --input 1 --input 2 --input 3 | FileCheck %s
// RUN: mdh run %s --function calls --input 5 | FileCheck %s --check-prefix=CALLS
// CHECK: argument 2
// CHECK: argument 3
// CALLS: argument 1

#map = affine_map<(d0) -> (d0)>
func.func @two(%x: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) {
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%a, %b : memref<4xf32>, memref<4xf32>) {
  ^bb0(%in: f32, %out: f32, %other: f32):
    linalg.yield %in, %out : f32, f32
  }
  return
}

func.func private @store(%m: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %m[%c0] : memref<2xf32>
  return
}

func.func private @twice(%m: memref<2xf32>) {
  call @store(%m) : (memref<2xf32>) -> ()
  call @store(%m) : (memref<2xf32>) -> ()
  return
}

func.func @calls(%m: memref<2xf32>) {
  call @twice(%m) : (memref<2xf32>) -> ()
  return
}
