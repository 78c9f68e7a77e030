// RUN: mdh-opt %s --mdh-check-accesses --split-input-file --verify-diagnostics

func.func @transfer(%x: memref<?xf32>, %i: index, %p: f32) -> vector<4xf32> {
  // expected-error @below {{'vector.transfer_read' op is not checked on memref<?xf32>}}
  %a = vector.transfer_read %x[%i], %p : memref<?xf32>, vector<4xf32>
  return %a : vector<4xf32>
}

// -----

func.func @layout(%x: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %i: index) -> f32 {
  // expected-error @below {{'memref.load' op is not checked on memref<4x4xf32, affine_map<}}
  %a = memref.load %x[%i, %i] : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>
  return %a : f32
}

// -----

func.func @unranked(%x: memref<*xf32>) -> index {
  // expected-error @below {{'memref.rank' op is not checked on memref<*xf32>}}
  %a = memref.rank %x : memref<*xf32>
  return %a : index
}

// -----

func.func @size() -> memref<1099511627777xf32> {
  // expected-error @below {{'memref.alloc' op requires at most 1099511627776 elements}}
  %a = memref.alloc() : memref<1099511627777xf32>
  return %a : memref<1099511627777xf32>
}

// -----

func.func @square(%x: memref<8x8xf32>, %i: index) -> vector<2x4xf32> {
  // expected-error @below {{'vector.load' op is not checked on vector<2x4xf32>}}
  %a = vector.load %x[%i, %i] : memref<8x8xf32>, vector<2x4xf32>
  return %a : vector<2x4xf32>
}
