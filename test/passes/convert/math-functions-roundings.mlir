// RUN: mdh-opt %s --mdh-math-functions --split-input-file | FileCheck %s

// Without instructions that round to integers, which x86 has since SSE4.1, they are expanded to arithmetic.
// CHECK-LABEL: func.func @old
// CHECK: call @mdh.floor.4xf32
// CHECK: call @mdh.round.f64
// CHECK: func.func private @mdh.floor.4xf32(%[[X:.*]]: vector<4xf32>)
// CHECK-NOT: math.floor
// CHECK: math.copysign %{{.*}}, %[[X]]
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"mdh.vector_bits" = 128 : i64, "mdh.has_fma" = false>>} {
  func.func @old(%x: vector<4xf32>, %y: f64) -> (vector<4xf32>, f64) {
    %0 = math.floor %x : vector<4xf32>
    %1 = math.round %y : f64
    return %0, %1 : vector<4xf32>, f64
  }
}

// -----

// CHECK-LABEL: func.func @new
// CHECK: math.floor
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"mdh.vector_bits" = 128 : i64, "mdh.has_fma" = true>>} {
  func.func @new(%x: vector<4xf32>) -> vector<4xf32> {
    %0 = math.floor %x : vector<4xf32>
    return %0 : vector<4xf32>
  }
}
