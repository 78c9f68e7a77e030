// `expm1(x)` and `log1p(x)` are about x near 0, where `exp(x) - 1` and `log(1 + x)` lose all digits. The quotients are compared, in
// millionths, and in hundredths for 16-bit types.
// RUN: mdh run %s --check 2>&1 | FileCheck %s
// RUN: %if opencl %{ mdh run %s --engine opencl --check 2>&1 | FileCheck %s %}
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

func.func @near_zero() -> (tensor<39xi32>, tensor<39xi32>, tensor<39xi32>, tensor<39xi32>) {
  %none = mdh.view.inp_view : () -> !mdh.mda<39>
  %quotients = mdh.hom.md_hom %none combine [#mdh.cc] {
    %index = mdh.hom.index 0 : index
    %one = arith.constant 1 : index
    %next = arith.addi %index, %one : index
    %i = arith.index_cast %next : index to i32
    %n = arith.sitofp %i : i32 to f64
    %tiny = arith.constant -1.0e-10 : f64
    %small = arith.constant 1.0e-5 : f64
    %million = arith.constant 1.0e6 : f64
    %hundred = arith.constant 1.0e2 : f64
    %x64 = arith.mulf %n, %tiny : f64
    %x16 = arith.mulf %n, %small : f64
    %x = arith.truncf %x64 : f64 to f32
    %half = arith.truncf %x16 : f64 to f16
    %short = arith.truncf %x16 : f64 to bf16
    %a = math.expm1 %x : f32
    %b = math.log1p %x64 : f64
    %c = math.expm1 %half : f16
    %d = math.log1p %short : bf16
    %a_ratio = arith.divf %a, %x : f32
    %b_ratio = arith.divf %b, %x64 : f64
    %c_ratio = arith.divf %c, %half : f16
    %d_ratio = arith.divf %d, %short : bf16
    %a_wide = arith.extf %a_ratio : f32 to f64
    %c_wide = arith.extf %c_ratio : f16 to f64
    %d_wide = arith.extf %d_ratio : bf16 to f64
    %a_scaled = arith.mulf %a_wide, %million : f64
    %b_scaled = arith.mulf %b_ratio, %million : f64
    %c_scaled = arith.mulf %c_wide, %hundred : f64
    %d_scaled = arith.mulf %d_wide, %hundred : f64
    %a_near = math.round %a_scaled : f64
    %b_near = math.round %b_scaled : f64
    %c_near = math.round %c_scaled : f64
    %d_near = math.round %d_scaled : f64
    %a_bits = arith.fptosi %a_near : f64 to i32
    %b_bits = arith.fptosi %b_near : f64 to i32
    %c_bits = arith.fptosi %c_near : f64 to i32
    %d_bits = arith.fptosi %d_near : f64 to i32
    mdh.hom.yield %a_bits, %b_bits, %c_bits, %d_bits : i32, i32, i32, i32
  } : !mdh.mda<39> -> !mdh.mda<39, i32, i32, i32, i32>
  %r:4 = mdh.view.out_view %quotients[affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>], [affine_map<(i) -> (i)>]
      : !mdh.mda<39, i32, i32, i32, i32> -> tensor<39xi32>, tensor<39xi32>, tensor<39xi32>, tensor<39xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<39xi32>, tensor<39xi32>, tensor<39xi32>, tensor<39xi32>
}
