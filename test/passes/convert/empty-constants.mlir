// RUN: mdh-opt %s --mdh-empty-constants | FileCheck %s
// RUN: mdh run %s --function none | FileCheck %s --check-prefix=RESULT
// RUN: mdh run %s --function of_memory | FileCheck %s --check-prefix=RESULT
// RESULT: result 1: 0x4xi64

// CHECK: memref.global "private" constant @global : memref<0x4xi64> = dense<>
memref.global "private" constant @global : memref<0x4xi64> = dense_resource<of_global>

// CHECK-LABEL: func.func @none
// CHECK: arith.constant dense<> : tensor<0x4xi64>
func.func @none() -> tensor<0x4xi64> {
  %x = arith.constant dense_resource<of_constant> : tensor<0x4xi64>
  return %x : tensor<0x4xi64>
}

func.func @of_memory() -> tensor<0x4xi64> {
  %x = memref.get_global @global : memref<0x4xi64>
  %y = bufferization.to_tensor %x restrict : memref<0x4xi64> to tensor<0x4xi64>
  return %y : tensor<0x4xi64>
}

// CHECK-LABEL: func.func @others
// CHECK: arith.constant dense_resource<two> : tensor<2xi64>
func.func @others() -> tensor<2xi64> {
  %x = arith.constant dense_resource<two> : tensor<2xi64>
  return %x : tensor<2xi64>
}

{-#
  dialect_resources: {
    builtin: {
      of_global: "0x08000000",
      of_constant: "0x08000000",
      two: "0x0800000001000000000000000200000000000000"
    }
  }
#-}
