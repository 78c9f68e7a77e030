// RUN: mdh-opt %s --mdh-guard-allocations | FileCheck %s
// RUN: not mdh run %s --function filled --input=-5 --input 1.5 2>&1 | FileCheck %s --check-prefix=FILLED
// RUN: not mdh run %s --function filled --input=-5 --input 1.5 --raise false 2>&1 | FileCheck %s --check-prefix=FILLED
// RUN: mdh run %s --function filled --input 3 --input 1.5 --check | FileCheck %s --check-prefix=AGREES
// RUN: not mdh run %s --function product --input 2147483648 --input 4294967296 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not mdh run %s --function wrapped --input 4611686018427387904 2>&1 | FileCheck %s --check-prefix=WRAPPED
// AGREES: agrees with the reference evaluator

// CHECK-LABEL: func.func @memrefs
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
func.func @memrefs(%n: index, %m: index) -> (memref<?x8x?xf32>, memref<4xf32>) {
  // CHECK: arith.cmpi sge, %[[N]]
  // CHECK: arith.cmpi sge, %[[M]]
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f64
  // CHECK: cf.assert %{{.*}}, "mdh check: {{.*}}guard-allocations.mlir:[[#@LINE+1]]:8: error: a buffer requires sizes of at least 0, and fewer than 2^63 bytes"
  %0 = memref.alloc(%n, %m) : memref<?x8x?xf32>
  // CHECK-NOT: cf.assert
  %1 = memref.alloc() : memref<4xf32>
  return %0, %1 : memref<?x8x?xf32>, memref<4xf32>
}

// FILLED: guard-allocations.mlir:{{[0-9]+:[0-9]+}}: error: a buffer requires sizes of at least 0
func.func @filled(%n: index, %v: f32) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}

// 2^64 bytes.
// PRODUCT: guard-allocations.mlir:{{[0-9]+:[0-9]+}}: error: a buffer requires sizes of at least 0
func.func @product(%n: index, %m: index) -> tensor<?x?xi16> {
  %one = arith.constant 1 : i16
  %e = tensor.empty(%n, %m) : tensor<?x?xi16>
  %f = linalg.fill ins(%one : i16) outs(%e : tensor<?x?xi16>) -> tensor<?x?xi16>
  return %f : tensor<?x?xi16>
}

// A size that is computed, and negative as it wraps around.
// WRAPPED: guard-allocations.mlir:{{[0-9]+:[0-9]+}}: error: a buffer requires sizes of at least 0
func.func @wrapped(%n: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %twice = affine.apply affine_map<()[s] -> (s * 2)>()[%n]
  %e = tensor.empty(%twice) : tensor<?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}
