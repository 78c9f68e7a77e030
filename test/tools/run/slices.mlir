// Slices that remove some of several dimensions of size 1: of tensors and memrefs, with strides and dynamic offsets and
// sizes.
// RUN: mdh compile %s --emit object --output %t.o
// RUN: bash -c 'for options in "" "--raise false" "--engine reference"; do mdh run %s --function extracted --input 1 --input 2 $options; done' 2>&1 | FileCheck %s --check-prefix=EXTRACTED
// RUN: bash -c 'for options in "" "--raise false" "--engine reference"; do mdh run %s --function inserted --input 1 --input 2 $options; done' 2>&1 | FileCheck %s --check-prefix=INSERTED
// RUN: bash -c 'for options in "" "--raise false" "--engine reference"; do mdh run %s --function viewed --input 1 --input 2 $options; done' 2>&1 | FileCheck %s --check-prefix=VIEWED

func.func private @numbers() -> tensor<2x4x2xi32> {
  %x = arith.constant dense<[[[0, 1], [10, 11], [20, 21], [30, 31]], [[100, 101], [110, 111], [120, 121], [130, 131]]]> : tensor<2x4x2xi32>
  return %x : tensor<2x4x2xi32>
}

// EXTRACTED: result 1: 2x1xi32
// EXTRACTED-NEXT: {{\[\[}}100]
// EXTRACTED-NEXT: [120]]
// EXTRACTED-NEXT: result 2: 1x2xi32
// EXTRACTED-NEXT: {{\[\[}}11 31]]
// EXTRACTED-NEXT: result 3: 1xi32
// EXTRACTED-NEXT: [121]
// EXTRACTED: result 1: 2x1xi32
// EXTRACTED-NEXT: {{\[\[}}100]
// EXTRACTED-NEXT: [120]]
// EXTRACTED-NEXT: result 2: 1x2xi32
// EXTRACTED-NEXT: {{\[\[}}11 31]]
// EXTRACTED-NEXT: result 3: 1xi32
// EXTRACTED-NEXT: [121]
// EXTRACTED: result 1: 2x1xi32
// EXTRACTED-NEXT: {{\[\[}}100]
// EXTRACTED-NEXT: [120]]
// EXTRACTED-NEXT: result 2: 1x2xi32
// EXTRACTED-NEXT: {{\[\[}}11 31]]
// EXTRACTED-NEXT: result 3: 1xi32
// EXTRACTED-NEXT: [121]
func.func @extracted(%o: index, %n: index) -> (tensor<2x1xi32>, tensor<1x?xi32>, tensor<1xi32>) {
  %zero = arith.constant 0 : index
  %x = call @numbers() : () -> tensor<2x4x2xi32>
  %a = tensor.extract_slice %x[%o, 0, %zero] [1, 2, 1] [1, 2, 2] : tensor<2x4x2xi32> to tensor<2x1xi32>
  %b = tensor.extract_slice %x[%zero, %o, 1] [1, %n, 1] [1, 2, 1] : tensor<2x4x2xi32> to tensor<1x?xi32>
  %c = tensor.extract_slice %x[%o, %n, %o] [1, 1, 1] [1, 1, 1] : tensor<2x4x2xi32> to tensor<1xi32>
  return %a, %b, %c : tensor<2x1xi32>, tensor<1x?xi32>, tensor<1xi32>
}

// INSERTED: result 1: 2x4x2xi32
// INSERTED-NEXT: {{\[\[\[}} -1   1]
// INSERTED-NEXT: [ 10  11]
// INSERTED-NEXT: [ 20  21]
// INSERTED-NEXT: [ -2  31]]
// INSERTED: result 1: 2x4x2xi32
// INSERTED-NEXT: {{\[\[\[}} -1   1]
// INSERTED-NEXT: [ 10  11]
// INSERTED-NEXT: [ 20  21]
// INSERTED-NEXT: [ -2  31]]
// INSERTED: result 1: 2x4x2xi32
// INSERTED-NEXT: {{\[\[\[}} -1   1]
// INSERTED-NEXT: [ 10  11]
// INSERTED-NEXT: [ 20  21]
// INSERTED-NEXT: [ -2  31]]
func.func @inserted(%o: index, %n: index) -> tensor<2x4x2xi32> {
  %zero = arith.constant 0 : index
  %x = call @numbers() : () -> tensor<2x4x2xi32>
  %y = arith.constant dense<[[-1], [-2]]> : tensor<2x1xi32>
  %a = tensor.insert_slice %y into %x[%zero, 0, %zero] [1, 2, 1] [1, 3, 1] : tensor<2x1xi32> into tensor<2x4x2xi32>
  %three = arith.constant -3 : i32
  %z = tensor.splat %three[%n] : tensor<1x?xi32>
  %b = tensor.insert_slice %z into %a[%o, %o, %o] [1, %n, 1] [1, 2, 1] : tensor<1x?xi32> into tensor<2x4x2xi32>
  return %b : tensor<2x4x2xi32>
}

// VIEWED: result 1: i32
// VIEWED-NEXT: 120
// VIEWED-NEXT: result 2: i32
// VIEWED-NEXT: 31
// VIEWED-NEXT: result 3: i32
// VIEWED-NEXT: 121
// VIEWED: result 1: i32
// VIEWED-NEXT: 120
// VIEWED-NEXT: result 2: i32
// VIEWED-NEXT: 31
// VIEWED-NEXT: result 3: i32
// VIEWED-NEXT: 121
// VIEWED: result 1: i32
// VIEWED-NEXT: 120
// VIEWED-NEXT: result 2: i32
// VIEWED-NEXT: 31
// VIEWED-NEXT: result 3: i32
// VIEWED-NEXT: 121
func.func @viewed(%o: index, %n: index) -> (i32, i32, i32) {
  %zero = arith.constant 0 : index
  %x = call @numbers() : () -> tensor<2x4x2xi32>
  %m = bufferization.to_buffer %x : tensor<2x4x2xi32> to memref<2x4x2xi32>
  %a = memref.subview %m[1, 0, %zero] [1, 2, 1] [1, 2, 2] : memref<2x4x2xi32> to memref<2x1xi32, strided<[4, 2], offset: ?>>
  %d = memref.cast %m : memref<2x4x2xi32> to memref<2x4x2xi32, strided<[?, ?, ?], offset: ?>>
  %b = memref.subview %d[%zero, %o, 1] [1, %n, 1] [1, 2, 1] : memref<2x4x2xi32, strided<[?, ?, ?], offset: ?>> to memref<1x?xi32, strided<[?, ?], offset: ?>>
  %c = memref.subview %d[%o, %n, %o] [1, 1, 1] [1, 1, 1] : memref<2x4x2xi32, strided<[?, ?, ?], offset: ?>> to memref<1xi32, strided<[?], offset: ?>>
  %p = memref.load %a[%o, %zero] : memref<2x1xi32, strided<[4, 2], offset: ?>>
  %q = memref.load %b[%zero, %o] : memref<1x?xi32, strided<[?, ?], offset: ?>>
  %r = memref.load %c[%zero] : memref<1xi32, strided<[?], offset: ?>>
  return %p, %q, %r : i32, i32, i32
}
