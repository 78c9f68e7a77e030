// A function that a constant refers to is inlined where it is called, but not erased.
// RUN: mdh-opt --mdh-raise %s | FileCheck %s

// CHECK-LABEL: func.func private @negated
func.func private @negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %r = linalg.negf ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @both
// CHECK-NOT:     call @negated
// CHECK:         mdh.hom.md_hom
// CHECK:         mdh.hom.md_hom
// CHECK:         constant @negated
func.func @both(%x: tensor<4xf32>) -> (tensor<4xf32>, (tensor<4xf32>) -> tensor<4xf32>) {
  %a = call @negated(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @negated(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %f = func.constant @negated : (tensor<4xf32>) -> tensor<4xf32>
  return %b, %f : tensor<4xf32>, (tensor<4xf32>) -> tensor<4xf32>
}
