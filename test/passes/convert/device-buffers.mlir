// Transfers to and from the device between the computations of a function.
// RUN: mdh-opt %s --split-input-file --mdh-device-buffers --canonicalize | FileCheck %s --implicit-check-not=gpu.memcpy --implicit-check-not=gpu.alloc
// RUN: mdh-opt %s --split-input-file --mdh-device-buffers | FileCheck %s --check-prefix=ROLES
// ROLES-LABEL: func.func @chain(
// ROLES: %[[OWN:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// ROLES: %[[INPUT:.*]] = memref.cast %[[OWN]] {mdh.buffer = "input 1"} : memref<8xf32> to memref<8xf32>
// ROLES: memref.load %[[INPUT]]

// A temporary stays on the device, and is an input of the kernel that reads it.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return
func.func @chain(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return
}

// -----

// An input of two computations is transferred once.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %[[HOST]]
func.func @twice(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// An input of one computation in two roles is one device buffer.
// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return
func.func @square(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %x = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %y = gpu.alloc () {mdh.buffer = "input 2"} : memref<8xf32>
  %z = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %x, %a : memref<8xf32>, memref<8xf32>
  gpu.memcpy %y, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %u = memref.load %x[%tx] : memref<8xf32>
    %v = memref.load %y[%tx] : memref<8xf32>
    %w = arith.mulf %u, %v : f32
    memref.store %w, %z[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %z : memref<8xf32>, memref<8xf32>
  gpu.dealloc %x : memref<8xf32>
  gpu.dealloc %y : memref<8xf32>
  gpu.dealloc %z : memref<8xf32>
  return
}

// -----

// Arguments may alias: copying a result back to one may change the other.
// CHECK-LABEL: func.func @aliases(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: %[[INPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1_B]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1_B]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return
func.func @aliases(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return
}

// -----

// The host writes the input between the computations.
// CHECK-LABEL: func.func @written(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: memref.store %{{.*}}, %[[B]][%{{.*}}]
// CHECK: %[[INPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1_B]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1_B]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %[[HOST]]
func.func @written(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %b[%one] : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// A function may write an argument, but not an allocation that is not passed to it.
// CHECK-LABEL: func.func @called(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: call @other() : () -> ()
// CHECK: %[[INPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1_B]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1_B]][%{{.*}}]
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return
func.func @called(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  call @other() : () -> ()
  %x = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %y = gpu.alloc () {mdh.buffer = "input 2"} : memref<8xf32>
  %z = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %x, %a : memref<8xf32>, memref<8xf32>
  gpu.memcpy %y, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %u = memref.load %x[%tx] : memref<8xf32>
    %v = memref.load %y[%tx] : memref<8xf32>
    %w = arith.mulf %u, %v : f32
    memref.store %w, %z[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %z : memref<8xf32>, memref<8xf32>
  gpu.dealloc %x : memref<8xf32>
  gpu.dealloc %y : memref<8xf32>
  gpu.dealloc %z : memref<8xf32>
  return
}
func.func private @other()

// -----

// A function of scalars touches no memory.
// CHECK-LABEL: func.func @called_with_numbers(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: %{{.*}} = call @negated(%{{.*}}) : (f32) -> f32
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %[[HOST]]
// CHECK: return %{{.*}} : f32
func.func @called_with_numbers(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  %n = call @negated(%zero) : (f32) -> f32
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %t : memref<8xf32>
}
func.func private @negated(%x: f32) -> f32 {
  %y = arith.negf %x : f32
  return %y : f32
}

// -----

// A buffer whose old contents are dead is written in place.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.launch
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return %[[HOST]]
func.func @in_place(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %z = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %z, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %z[%tx] : memref<8xf32>
    memref.store %x, %z[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %z : memref<8xf32>, memref<8xf32>
  gpu.dealloc %z : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// A buffer whose old contents are live is copied on the device.
// CHECK-LABEL: func.func @copied(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[OUTPUT_1_B]], %[[OUTPUT_1]]
// CHECK: gpu.launch
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %[[HOST]]
func.func @copied(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %t : memref<8xf32>, memref<8xf32>
  gpu.memcpy %out2, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// Uninitialized memory is not transferred.
// CHECK-LABEL: func.func @undefined(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return %[[HOST]]
func.func @undefined(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.memcpy %out1, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// Memory in which the host has written one element is transferred.
// CHECK-LABEL: func.func @initialized(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: memref.store %{{.*}}, %[[HOST]][%{{.*}}]
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.memcpy %[[OUTPUT_1]], %[[HOST]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return %[[HOST]]
func.func @initialized(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %t[%one] : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.memcpy %out1, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  return %t : memref<8xf32>
}

// -----

// The host reads the temporary: it is copied back, but not to the device again.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: memref.load %[[HOST]][%{{.*}}]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %{{.*}} : f32
func.func @read(%a: memref<8xf32>, %b: memref<8xf32>) -> f32 {
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %t, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %e = memref.load %t[%one] : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %t : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %e : f32
}

// -----

// Data copied back to an argument is visible to the caller, unless it is overwritten later.
// CHECK-LABEL: func.func @of_the_caller(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return
func.func @of_the_caller(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out1 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %b : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return
}

// -----

// The device buffer no longer has the data that was copied back.
// CHECK-LABEL: func.func @changed(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[A]], %[[OUTPUT_1]]
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return
func.func @changed(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %c = arith.constant 1.0 : f32
  %d = arith.constant 2.0 : f32
  %own = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %c, %own[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %a, %own : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %d, %own[%tx] : memref<8xf32>
    gpu.terminator
  }
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  gpu.memcpy %b, %own : memref<8xf32>, memref<8xf32>
  gpu.dealloc %own : memref<8xf32>
  return
}

// -----

// A branch may change the buffer.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[A]], %[[OUTPUT_1]]
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return
func.func @branch(%a: memref<8xf32>, %b: memref<8xf32>, %condition: i1) {
  %one = arith.constant 1 : index
  %c = arith.constant 1.0 : f32
  %d = arith.constant 2.0 : f32
  %own = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %c, %own[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %a, %own : memref<8xf32>, memref<8xf32>
  scf.if %condition {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
      memref.store %d, %own[%tx] : memref<8xf32>
      gpu.terminator
    }
  }
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  gpu.memcpy %b, %own : memref<8xf32>, memref<8xf32>
  gpu.dealloc %own : memref<8xf32>
  return
}

// -----

// Buffers used by an unknown operation are left alone.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: %[[INPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1_B]], %[[B]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1_B]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[A]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %{{.*}} : index
func.func @unknown(%a: memref<8xf32>, %b: memref<8xf32>) -> index {
  %one = arith.constant 1 : index
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %out1 : memref<8xf32>, memref<8xf32>
  %p = memref.extract_aligned_pointer_as_index %out1 : memref<8xf32> -> index
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %b : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %a, %out2 : memref<8xf32>, memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %p : index
}

// -----

// A view with other sizes is another buffer.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[INPUT_2:.*]] = gpu.alloc (%{{.*}}) {mdh.buffer = "input 2"} : memref<?xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.memcpy %[[INPUT_2]], %[[A]] : memref<?xf32>, memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.load %[[INPUT_2]][%{{.*}}] : memref<?xf32>
// CHECK: memref.store %{{.*}}, %[[INPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[INPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_2]] : memref<?xf32>
// CHECK: return
func.func @cast(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %c = memref.cast %a : memref<8xf32> to memref<?xf32>
  %n = memref.dim %c, %zero : memref<?xf32>
  %x = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %y = gpu.alloc (%n) {mdh.buffer = "input 2"} : memref<?xf32>
  gpu.memcpy %x, %a : memref<8xf32>, memref<8xf32>
  gpu.memcpy %y, %c : memref<?xf32>, memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %u = memref.load %x[%tx] : memref<8xf32>
    %v = memref.load %y[%tx] : memref<?xf32>
    %w = arith.mulf %u, %v : f32
    memref.store %w, %x[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %b, %x : memref<8xf32>, memref<8xf32>
  gpu.dealloc %x : memref<8xf32>
  gpu.dealloc %y : memref<?xf32>
  return
}

// -----

// Contiguous elements are copied from the same memory: one buffer.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32, strided<[2]>>, %[[B:[^:]*]]: memref<8xf32>, %[[C:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[HOST_B:.*]] = memref.alloc() : memref<8xf32>
// CHECK: memref.copy %[[A]], %[[HOST_B]] : memref<8xf32, strided<[2]>> to memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[HOST_B]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: memref.dealloc %[[HOST_B]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: %[[OUTPUT_1_B:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1_B]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1_B]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1_B]]
// CHECK: return %[[HOST]]
func.func @strided(%a: memref<8xf32, strided<[2]>>, %b: memref<8xf32>, %c: memref<8xf32>) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %r = memref.alloc() : memref<8xf32>
  %t1 = memref.alloc() : memref<8xf32>
  memref.copy %a, %t1 : memref<8xf32, strided<[2]>> to memref<8xf32>
  %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in1, %t1 : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in1[%tx] : memref<8xf32>
    memref.store %x, %out1[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %r, %out1 : memref<8xf32>, memref<8xf32>
  memref.dealloc %t1 : memref<8xf32>
  gpu.dealloc %in1 : memref<8xf32>
  gpu.dealloc %out1 : memref<8xf32>
  %t2 = memref.alloc() : memref<8xf32>
  memref.copy %a, %t2 : memref<8xf32, strided<[2]>> to memref<8xf32>
  %in2 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
  %out2 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
  gpu.memcpy %in2, %t2 : memref<8xf32>, memref<8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %x = memref.load %in2[%tx] : memref<8xf32>
    memref.store %x, %out2[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.memcpy %r, %out2 : memref<8xf32>, memref<8xf32>
  memref.dealloc %t2 : memref<8xf32>
  gpu.dealloc %in2 : memref<8xf32>
  gpu.dealloc %out2 : memref<8xf32>
  return %r : memref<8xf32>
}

// -----

// A loop-invariant input is transferred before the loop; the temporary is transferred in each iteration.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: scf.for
// CHECK: %[[INPUT_2:.*]] = gpu.alloc () {mdh.buffer = "input 2"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_2]], %[[HOST]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.load %[[INPUT_2]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[HOST]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_2]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: return %[[HOST]]
func.func @loop(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) -> memref<8xf32> {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %t = memref.alloc() : memref<8xf32>
  scf.for %i = %zero to %n step %one {
    %x = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
    %y = gpu.alloc () {mdh.buffer = "input 2"} : memref<8xf32>
    %z = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
    gpu.memcpy %x, %a : memref<8xf32>, memref<8xf32>
    gpu.memcpy %y, %t : memref<8xf32>, memref<8xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
      %u = memref.load %x[%tx] : memref<8xf32>
      %v = memref.load %y[%tx] : memref<8xf32>
      %w = arith.mulf %u, %v : f32
      memref.store %w, %z[%tx] : memref<8xf32>
      gpu.terminator
    }
    gpu.memcpy %t, %z : memref<8xf32>, memref<8xf32>
    gpu.dealloc %x : memref<8xf32>
    gpu.dealloc %y : memref<8xf32>
    gpu.dealloc %z : memref<8xf32>
  }
  return %t : memref<8xf32>
}

// -----

// Data copied back to an argument may change the input of the next iteration.
// CHECK-LABEL: func.func @loop_aliases(
// CHECK-SAME: %[[A:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<8xf32>
// CHECK: scf.for
// CHECK: %[[INPUT_1:.*]] = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
// CHECK: %[[OUTPUT_1:.*]] = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
// CHECK: gpu.memcpy %[[INPUT_1]], %[[A]]
// CHECK: gpu.launch
// CHECK: memref.load %[[INPUT_1]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[OUTPUT_1]][%{{.*}}]
// CHECK: gpu.memcpy %[[B]], %[[OUTPUT_1]]
// CHECK: gpu.dealloc %[[INPUT_1]]
// CHECK: gpu.dealloc %[[OUTPUT_1]]
// CHECK: return
func.func @loop_aliases(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  scf.for %i = %zero to %n step %one {
    %in1 = gpu.alloc () {mdh.buffer = "input 1"} : memref<8xf32>
    %out1 = gpu.alloc () {mdh.buffer = "output 1"} : memref<8xf32>
    gpu.memcpy %in1, %a : memref<8xf32>, memref<8xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
      %x = memref.load %in1[%tx] : memref<8xf32>
      memref.store %x, %out1[%tx] : memref<8xf32>
      gpu.terminator
    }
    gpu.memcpy %b, %out1 : memref<8xf32>, memref<8xf32>
    gpu.dealloc %in1 : memref<8xf32>
    gpu.dealloc %out1 : memref<8xf32>
  }
  return
}

// -----

// Asynchronous copies are left alone.
// CHECK-LABEL: func.func @asynchronous(
// CHECK: gpu.alloc async
// CHECK-COUNT-4: gpu.memcpy async
// CHECK: gpu.dealloc async
func.func @asynchronous(%a: memref<8xf32>, %b: memref<8xf32>) {
  %one = arith.constant 1 : index
  %x, %t0 = gpu.alloc async () : memref<8xf32>
  %t1 = gpu.memcpy async [%t0] %x, %a : memref<8xf32>, memref<8xf32>
  %t2 = gpu.memcpy async [%t1] %b, %x : memref<8xf32>, memref<8xf32>
  %t3 = gpu.memcpy async [%t2] %x, %b : memref<8xf32>, memref<8xf32>
  %t4 = gpu.memcpy async [%t3] %a, %x : memref<8xf32>, memref<8xf32>
  %t5 = gpu.dealloc async [%t4] %x : memref<8xf32>
  gpu.wait [%t5]
  return
}
