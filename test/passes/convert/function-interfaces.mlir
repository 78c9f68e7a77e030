// RUN: mdh-opt %s --mdh-function-interfaces | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM

// Public functions with a body get a C interface, and do not write to the tensors of their caller.
// CHECK: func.func @update(%{{.*}}: tensor<8xf32> {bufferization.writable = false}, %{{.*}}: index)
// CHECK-SAME: llvm.emit_c_interface
// LLVM: llvm.func @update
// LLVM: llvm.call @malloc
// LLVM: llvm.func @_mlir_ciface_update
func.func @update(%x: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.insert %zero into %x[%i] : tensor<8xf32>
  return %y : tensor<8xf32>
}

// Attributes given by the program are kept.
// CHECK: func.func @said(%{{.*}}: tensor<8xf32> {bufferization.writable = true})
func.func @said(%x: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// Attributes without a textual form, and keys that need quotes, are kept, too.
// CHECK: func.func @kept(%{{.*}}: tensor<2xf32> {bufferization.writable = false, "my.key with space" = 1 : i32, x.y = dense_resource<blob> : tensor<1xi8>})
func.func @kept(%x: tensor<2xf32> {"my.key with space" = 1 : i32, x.y = dense_resource<blob> : tensor<1xi8>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// CHECK: func.func private @declared(memref<8xf32>)
// CHECK-NOT: emit_c_interface
func.func private @declared(memref<8xf32>)

// Explicit deallocations of the program are distinguished from automatic ones.
// CHECK: func.func @own
// CHECK: memref.alloc() {bufferization.manual_deallocation} : memref<8xf32>
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<8xf32>
// LLVM: llvm.func @own
// LLVM-COUNT-1: llvm.call @free
// LLVM-NOT: llvm.call @free
func.func @own() {
  %x = memref.alloc() : memref<8xf32>
  func.call @declared(%x) : (memref<8xf32>) -> ()
  memref.dealloc %x : memref<8xf32>
  return
}

// CHECK: blob: "0x0400000001"
{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001"
    }
  }
#-}
