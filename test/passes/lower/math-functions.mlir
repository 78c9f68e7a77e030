// RUN: mdh-opt %s --mdh-math-functions --cse | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM
// RUN: mdh-opt %s --lower-mdh=strict=true | FileCheck %s --check-prefix=STRICT --implicit-check-not='call @mdh.'

// Vectors and scalars are computed by functions of their own. STRICT keeps the operations for the C library.
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

// Vectors of more dimensions have one, and 16 bits are computed in 32.
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

// Long arguments of circular functions are reduced lane by lane, where there is one.
// CHECK-LABEL: func.func @circular
// CHECK: %{{.*}}:2 = call @mdh.sincos.4xf32(%{{.*}}) : (vector<4xf32>) -> (vector<4xf32>, vector<4xf32>)
func.func @circular(%a: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %0, %1 = math.sincos %a : vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}

// Kernels have functions of their own.
// CHECK-LABEL: gpu.module @kernels
// CHECK: math.exp
gpu.module @kernels {
  func.func @f(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    return %0 : f32
  }
}

// A symbol that is taken already stays what it is.
// CHECK-LABEL: func.func private @mdh.exp.8xf32()
func.func private @mdh.exp.8xf32()

// Each function is there once.
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
