// Kernels compute integer powers, for which upstream calls a function of the host.
// RUN: mdh compile %s --target cuda --arch sm_90 --emit ptx | FileCheck %s --check-prefix=PTX
// REQUIRES: opencl
// RUN: mdh run %s --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

// PTX: .visible .entry powers_kernel_1
// PTX-NOT: call
func.func @powers() -> (tensor<9x7xi32>, tensor<9x7xi8>, tensor<9x7xindex>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<9x7>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %four = arith.constant 4 : index
    %three = arith.constant 3 : index
    %base = arith.subi %i, %four : index
    %exponent = arith.subi %j, %three : index
    // Negative powers of 0 are undefined.
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %is_zero = arith.cmpi eq, %base, %zero : index
    %defined = arith.select %is_zero, %one, %base : index
    %base32 = arith.index_cast %defined : index to i32
    %exponent32 = arith.index_cast %exponent : index to i32
    %power32 = math.ipowi %base32, %exponent32 : i32
    %base8 = arith.trunci %base32 : i32 to i8
    %exponent8 = arith.trunci %exponent32 : i32 to i8
    %power8 = math.ipowi %base8, %exponent8 : i8
    %power = math.ipowi %defined, %exponent : index
    mdh.hom.yield %power32, %power8, %power : i32, i8, index
  } : !mdh.mda<9x7> -> !mdh.mda<9x7, i32, i8, index>
  %o:3 = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>], [affine_map<(i, j) -> (i, j)>]
      : !mdh.mda<9x7, i32, i8, index> -> tensor<9x7xi32>, tensor<9x7xi8>, tensor<9x7xindex>
  return %o#0, %o#1, %o#2 : tensor<9x7xi32>, tensor<9x7xi8>, tensor<9x7xindex>
}
