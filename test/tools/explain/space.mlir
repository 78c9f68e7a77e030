// The number of legal schedules.

// RUN: mdh explain %s --space --system artificial --function copy | FileCheck %s --check-prefix=ARTIFICIAL
// RUN: mdh explain %s --space --system cpu --function copy | FileCheck %s --check-prefix=CPU
// RUN: mdh explain %s --space --system cuda --function copy | FileCheck %s --check-prefix=CUDA
// RUN: mdh explain %s --space --system cuda --function square | FileCheck %s --check-prefix=ESTIMATE
// RUN: mdh explain %root/test/passes/schedule/epilogue.mlir --space --schedule %root/test/passes/schedule/Inputs/epilogue.json | FileCheck %s --check-prefix=PRODUCER
// RUN: mdh explain %root/test/passes/schedule/producers-kernels.mlir --space --schedule %root/test/passes/schedule/Inputs/producers-kernels.json | FileCheck %s --check-prefix=KERNELS
// RUN: not mdh explain %s --space --json 2>&1 | FileCheck %s --check-prefix=JSON

// ARTIFICIAL: @copy, computation 1, on @artificial: {{[0-9.e]+}} legal schedules
// CPU: @copy, computation 1, on @cpu: {{[0-9.]+e[0-9]+}} legal schedules
// CUDA: @copy, computation 1, on @cuda: {{[0-9.e]+}} legal schedules; about {{[0-9.e]+}} satisfy S11 for kernels (by 500 samples, standard error {{[0-9.]+}} %)
// ESTIMATE: @square, computation 1, on @cuda: about {{[0-9.]+e[0-9]+}} legal schedules (by 500 samples, standard error 0.{{[0-9]}} %): S9: {{.*}} to be counted; about {{.*}} satisfy S11

// A producer at any level of its consumer that the rules allow, with the part counts of rule F4.
// PRODUCER: @dense, computation 1, in parts of computation 2, on @cpu: {{[0-9.]+e[0-9]+}} legal schedules
// PRODUCER-NEXT: @dense, computation 2, on @cpu: {{[0-9.]+e[0-9]+}} legal schedules

// In kernels, it reads inputs that all parts share where they are (F6).
// KERNELS: @common_inputs, computation 1, in parts of computation 2, on @cuda: 7504021746892800000 legal schedules
// KERNELS-NEXT: @common_inputs, computation 2, on @cuda: about {{[0-9.]+e[0-9]+}} legal schedules

// JSON: the argument '--space' cannot be used with '--json'

func.func @copy(%x: tensor<8xf32>) -> tensor<8xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  %w = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}

func.func @square(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<1000x1000xf32>) -> !mdh.mda<1000x1000, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<1000x1000, f32> -> !mdh.mda<1000x1000, f32>
  %w = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<1000x1000, f32> -> tensor<1000x1000xf32>
  return %w : tensor<1000x1000xf32>
}
