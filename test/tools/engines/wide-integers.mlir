// Devices compute with integers of more than 64 bits, which SPIR-V lacks: those of LLVM's closed forms of loops, and those of programs.
// RUN: mdh compile %s --function sum --target opencl --emit llvm-ir | FileCheck %s --check-prefix=LLVM
// LLVM: define spir_kernel
// LLVM-NOT: {{ i(6[5-9]|[7-9][0-9]|1[0-9][0-9]) }}
// LLVM: ret void
// RUN: not mdh compile %s --function quotient --target opencl --emit spirv-assembly 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: error: SPIR-V requires integers of 8, 16, 32 or 64 bits, but the kernel has '{{.*}} i128 {{.*}}'
// DIVISION-NOT: error
// REQUIRES: opencl
// RUN: mdh run %s --function sum --input 1000003 --engine opencl --check 2>&1 | FileCheck %s
// RUN: mdh run %s --function wide --engine opencl --check 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with the reference evaluator

// One thread sums all numbers.
func.func @sum(%n: index) -> tensor<i64> {
  %in = mdh.view.inp_view extents(%n) : () -> !mdh.mda<?>
  %sum = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [[1], [1], [1], ["?"], [1]],
      decompose = {tags = [["SMX,x"], ["SM,x"], ["DM,x"], ["RM,x"], ["CC,x"]], reads = []},
      scalar = {reads = [], writes = ["DM[]"]},
      recompose = {writes = [[["DM[]"], ["DM[]"], ["DM[]"], ["DM[]"], ["DM[]"]]]}}} {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<?> -> !mdh.mda<1, i64>
  %r = mdh.view.out_view %sum[affine_map<(d0) -> ()>] : !mdh.mda<1, i64> -> tensor<i64>
  return %r : tensor<i64>
}

func.func @wide() -> tensor<500xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<500>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    %factor = arith.constant -6364136223846793005 : i64
    %large = arith.muli %x, %factor : i64
    %other = arith.xori %large, %factor : i64
    %a = arith.extsi %large : i64 to i100
    %b = arith.extui %other : i64 to i100
    %limit = arith.constant 100 : i64
    %by = arith.remui %x, %limit : i64
    %distance = arith.extui %by : i64 to i100
    %product = arith.muli %a, %b : i100
    %sum = arith.addi %product, %a : i100
    %difference = arith.subi %b, %product : i100
    %left = arith.shli %sum, %distance : i100
    %zeros = arith.shrui %difference, %distance : i100
    %signs = arith.shrsi %product, %distance : i100
    %smaller = arith.minsi %left, %zeros : i100
    %larger = arith.maxui %zeros, %signs : i100
    %mixed = arith.ori %left, %signs : i100
    %common = arith.andi %mixed, %b : i100
    %constant = arith.constant 1180591620717411303423 : i100
    %turned = arith.xori %common, %constant : i100
    %less = arith.cmpi slt, %left, %difference : i100
    %most = arith.cmpi uge, %signs, %difference : i100
    %same = arith.cmpi eq, %turned, %sum : i100
    %chosen = arith.select %less, %smaller, %larger : i100
    %wider = arith.extsi %chosen : i100 to i128
    %square = arith.muli %wider, %wider : i128
    %half = arith.constant 64 : i128
    %high = arith.shrui %square, %half : i128
    %y0 = arith.trunci %high : i128 to i64
    %y1 = arith.trunci %turned : i100 to i64
    %y2 = arith.trunci %square : i128 to i64
    %bits = arith.extui %most : i1 to i64
    %more = arith.extui %same : i1 to i64
    %s1 = arith.xori %y0, %y1 : i64
    %s2 = arith.addi %s1, %y2 : i64
    %s3 = arith.addi %s2, %bits : i64
    %s4 = arith.subi %s3, %more : i64
    mdh.hom.yield %s4 : i64
  } : !mdh.mda<500> -> !mdh.mda<500, i64>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<500, i64> -> tensor<500xi64>
  return %w : tensor<500xi64>
}

func.func @quotient() -> tensor<500xi64> {
  %in = mdh.view.inp_view : () -> !mdh.mda<500>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i128
    %square = arith.muli %x, %x : i128
    %fourth = arith.muli %square, %square : i128
    %eighth = arith.muli %fourth, %fourth : i128
    %seven = arith.constant 7 : i128
    %divisor = arith.addi %x, %seven : i128
    %quotient = arith.divsi %eighth, %divisor : i128
    %y = arith.trunci %quotient : i128 to i64
    mdh.hom.yield %y : i64
  } : !mdh.mda<500> -> !mdh.mda<500, i64>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<500, i64> -> tensor<500xi64>
  return %w : tensor<500xi64>
}
