// RUN: mdh-opt %s --mdh-math-functions --cse | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM
// RUN: mdh-opt %s --lower-mdh=strict=true | FileCheck %s --check-prefix=STRICT --implicit-check-not='call @mdh.'

// Vectors and scalars have separate functions. STRICT keeps the operations for the C library.
// CHECK-LABEL: func.func @widths
// CHECK: call @mdh.exp.16xf32(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// CHECK: call @mdh.exp.8xf32
// CHECK: call @mdh.exp.f32(%{{.*}}) : (f32) -> f32
// CHECK: call @mdh.exp.4xf64
// LLVM-LABEL: llvm.func @widths
// LLVM: llvm.call @mdh.exp.16xf32
// STRICT-LABEL: llvm.func @widths
// STRICT: llvm.intr.exp(%{{.*}}) : (vector<16xf32>)
func.func @widths(%a: vector<16xf32>, %b: vector<8xf32>, %c: f32, %d: vector<4xf64>)
    -> (vector<16xf32>, vector<8xf32>, f32, vector<4xf64>) {
  %0 = math.exp %a : vector<16xf32>
  %1 = math.exp %b : vector<8xf32>
  %2 = math.exp %c : f32
  %3 = math.exp %d : vector<4xf64>
  return %0, %1, %2, %3 : vector<16xf32>, vector<8xf32>, f32, vector<4xf64>
}

// Multi-dimensional vectors have one, too, and 16-bit types are computed in 32 bits.
// CHECK-LABEL: func.func @shapes
// CHECK: %[[FLAT:.*]] = vector.shape_cast %{{.*}} : vector<2x4xf16> to vector<8xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[FLAT]] : vector<8xf16> to vector<8xf32>
// CHECK: %[[RESULT:.*]] = call @mdh.exp.8xf32.1(%[[WIDE]])
// CHECK: %[[SHORT:.*]] = arith.truncf %[[RESULT]] : vector<8xf32> to vector<8xf16>
// CHECK: vector.shape_cast %[[SHORT]] : vector<8xf16> to vector<2x4xf16>
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @shapes(%a: vector<2x4xf16>, %b: bf16) -> (vector<2x4xf16>, bf16) {
  %0 = math.exp %a : vector<2x4xf16>
  %1 = math.log %b : bf16
  return %0, %1 : vector<2x4xf16>, bf16
}

// Large arguments of trigonometric functions are reduced lane by lane, if there is one.
// CHECK-LABEL: func.func @circular
// CHECK: %{{.*}}:2 = call @mdh.sincos.4xf32(%{{.*}}) : (vector<4xf32>) -> (vector<4xf32>, vector<4xf32>)
func.func @circular(%a: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %0, %1 = math.sincos %a : vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}

// Powers with a known exponent become products, a ratio or a root. Integer exponents become f64, except 64-bit ones.
// CHECK-LABEL: func.func @powers
// CHECK: arith.mulf %[[X:.*]], %[[X]] : vector<8xf32>
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[Y:.*]], %[[Y]] : f64
// CHECK: arith.mulf %[[SQUARE]], %[[Y]] : f64
// CHECK: math.sqrt
// CHECK: call @mdh.powf.8xf32(%{{.*}}) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK: %[[EXPONENT:.*]] = arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf64>
// CHECK: call @mdh.fpowi.8xf32(%{{.*}}, %[[EXPONENT]]) : (vector<8xf32>, vector<8xf64>) -> vector<8xf32>
// CHECK: math.fpowi
func.func @powers(%a: vector<8xf32>, %b: f64, %n: vector<8xi32>, %m: i64)
    -> (vector<8xf32>, f64, vector<8xf32>, vector<8xf32>, vector<8xf32>, f64) {
  %two = arith.constant dense<2.0> : vector<8xf32>
  %three = arith.constant 3 : i32
  %half = arith.constant 0.5 : f32
  %halves = vector.broadcast %half : f32 to vector<8xf32>
  %other = arith.constant dense<2.5> : vector<8xf32>
  %0 = math.powf %a, %two : vector<8xf32>
  %1 = math.fpowi %b, %three : f64, i32
  %2 = math.powf %a, %halves : vector<8xf32>
  %3 = math.powf %a, %other : vector<8xf32>
  %4 = math.fpowi %a, %n : vector<8xf32>, vector<8xi32>
  %5 = math.fpowi %b, %m : f64, i64
  return %0, %1, %2, %3, %4, %5 : vector<8xf32>, f64, vector<8xf32>, vector<8xf32>, vector<8xf32>, f64
}

// Kernels have separate functions.
// CHECK-LABEL: gpu.module @kernels
// CHECK: math.exp
gpu.module @kernels {
  func.func @f(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    return %0 : f32
  }
}

// An existing symbol is not replaced.
// CHECK-LABEL: func.func private @mdh.exp.8xf32()
func.func private @mdh.exp.8xf32()

// Each function is emitted once.
// CHECK: func.func private @mdh.exp.16xf32(%{{.*}}: vector<16xf32>) -> vector<16xf32> attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK-NOT: {{call|scf.if}}
// CHECK: arith.mulf %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT: func.func private @mdh.exp.16xf32
// CHECK: func.func private @mdh.exp.8xf32.1(
// CHECK: func.func private @mdh.sincos.4xf32
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK: scf.if %[[ANY]]
// CHECK-NEXT: func.call @mdh.long_reduction.4xf32
// CHECK: func.func private @mdh.long_reduction.4xf32
// CHECK-SAME: passthrough = ["noinline", "cold", "optsize"]
// CHECK: scf.for
// CHECK: func.call @mdh.long_argument.f64
// CHECK: func.func private @mdh.long_argument.f64
// CHECK: memref.get_global @mdh.two_over_pi
// CHECK: memref.global "private" constant @mdh.two_over_pi
