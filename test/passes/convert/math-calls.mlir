// RUN: mdh-opt %s --mdh-math-calls | FileCheck %s
// RUN: mdh-opt %s --lower-mdh=strict=true | FileCheck %s --check-prefix=LLVM --implicit-check-not=llvm.intr.exp --implicit-check-not=llvm.intr.log

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: %[[A:.*]] = call @expm1f(%{{.*}}) : (f32) -> f32
// CHECK-NEXT: %[[B:.*]] = call @log1p(%{{.*}}) : (f64) -> f64
// CHECK-NEXT: return %[[A]], %[[B]]
// LLVM-LABEL: llvm.func @scalars
// LLVM: llvm.call @expm1f
// LLVM: llvm.call @log1p
func.func @scalars(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.expm1 %x : f32
  %b = math.log1p %y : f64
  return %a, %b : f32, f64
}

// CHECK-LABEL: func.func @vectors
// CHECK: %[[X:.*]] = vector.extract %[[V:.*]][0, 0] : f64 from vector<1x2xf64>
// CHECK: %[[Y:.*]] = call @expm1(%[[X]])
// CHECK: %[[W:.*]] = vector.insert %[[Y]], %[[V]] [0, 0]
// CHECK: vector.extract %[[V]][0, 1]
// CHECK: %[[Y:.*]] = call @expm1
// CHECK: vector.insert %[[Y]], %[[W]] [0, 1]
// LLVM-LABEL: llvm.func @vectors
// LLVM-COUNT-2: llvm.call @expm1(
func.func @vectors(%v: vector<1x2xf64>) -> vector<1x2xf64> {
  %a = math.expm1 %v : vector<1x2xf64>
  return %a : vector<1x2xf64>
}

// f16 is computed in f32.
// LLVM-LABEL: llvm.func @halves
// LLVM: llvm.fpext
// LLVM: llvm.call @log1pf
// LLVM: llvm.fptrunc
func.func @halves(%x: f16) -> f16 {
  %a = math.log1p %x : f16
  return %a : f16
}

// CHECK: func.func private @expm1f(f32) -> f32 attributes {llvm.readnone}
// CHECK: func.func private @expm1(f64) -> f64 attributes {llvm.readnone}
