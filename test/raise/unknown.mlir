// Operations of dialects that are not registered are errors, unless raising knows them.
// RUN: not mdh run %s --function sort --input 1 2>&1 | FileCheck %s
// CHECK: unknown.mlir:[[@LINE+2]]:{{[0-9]+}}: error: unknown operation 'stablehlo.sort'
func.func @sort(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.sort"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
