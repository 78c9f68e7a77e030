// PyTorch 2.15, lowered to linalg by torch-mlir: torch.cumprod(x, 0)
// RUN: %python %S/../../Inputs/arrays.py %t 7x5
// RUN: %against-numpy mdh run %s --function main --input %t0.npy --check
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<7x5xf32>) -> tensor<7x5xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<7x5xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "tensor.empty"() : () -> tensor<7x5xf32>
    %2 = "linalg.fill"(%0, %1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (f32, tensor<7x5xf32>) -> tensor<7x5xf32>
    %3 = "tensor.empty"() : () -> tensor<5xf32>
    %4 = "linalg.fill"(%0, %3) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (f32, tensor<5xf32>) -> tensor<5xf32>
    %5:2 = "tm_tensor.scan"(%arg0, %2, %4) <{dimension = 0 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %6 = "arith.mulf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%6) : (f32) -> ()
    }) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<5xf32>) -> (tensor<7x5xf32>, tensor<5xf32>)
    "func.return"(%5#0) : (tensor<7x5xf32>) -> ()
  }) : () -> ()
}) : () -> ()
