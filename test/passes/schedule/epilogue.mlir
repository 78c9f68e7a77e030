// A producer in parts that are a register tile of its consumer: the part is never in memory. After the sums of a tile,
// the machine code adds the bias and stores the result; nothing is on the stack.
// RUN: mdh explain %s --schedule %S/Inputs/epilogue.json --nest | FileCheck %s
// RUN: mdh compile %s --schedule %S/Inputs/epilogue.json --emit openmp | FileCheck %s --check-prefix=OPENMP
// RUN: mdh compile %s --schedule %S/Inputs/epilogue.json --emit assembly --triple x86_64-unknown-linux-gnu --cpu skylake-avx512 | FileCheck %s --check-prefix=ASSEMBLY
// RUN: %python %S/../../raise/Inputs/arrays.py %t 16x96 96x64 64
// RUN: mdh run %s --schedule %S/Inputs/epilogue.json --input %t0.npy --input %t1.npy --input %t2.npy --threads 2 --check
// RUN: mdh run %s --schedule %S/Inputs/epilogue.json --input %t0.npy --input %t1.npy --input %t2.npy --threads 1 --strict --check

// CHECK: parallel for
// CHECK: allocate part1: 4 x 32 x f32 on the heap
// CHECK: compute a part of computation 1:
// CHECK: store {{.*}} to 16 of part1[0, 0]
// CHECK: store {{.*}} to 16 of part1[3, 16]
// CHECK: load 16 of part1
// CHECK: store {{.*}} to 16 of output 1

// Each thread has the part on its stack.
// OPENMP: omp.parallel
// OPENMP-NEXT: memref.alloca() {alignment = 64 : i64} : memref<4x32xf32>
// OPENMP-NOT: memref.alloc

// ASSEMBLY-LABEL: dense..omp_par:
// ASSEMBLY: vfmadd231ps
// ASSEMBLY-NOT: {{[^f]}}(%rsp{{.*}}%zmm
// ASSEMBLY-NOT: %zmm{{[0-9]+}}, {{.*}}(%rsp
// ASSEMBLY: vaddps
// ASSEMBLY: vmaxps
func.func @dense(%a: tensor<16x96xf32>, %b: tensor<96x64xf32>, %c: tensor<64xf32>) -> tensor<16x64xf32> {
  %in = mdh.view.inp_view %a[affine_map<(i, j, k) -> (i, k)>], %b[affine_map<(i, j, k) -> (k, j)>] : (tensor<16x96xf32>, tensor<96x64xf32>) -> !mdh.mda<16x64x96, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<16x64x96, f32, f32> -> !mdh.mda<16x64x1, f32>
  %product = mdh.view.out_view %h[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<16x64x1, f32> -> tensor<16x64xf32>
  %in2 = mdh.view.inp_view %product[affine_map<(i, j) -> (i, j)>], %c[affine_map<(i, j) -> (j)>] : (tensor<16x64xf32>, tensor<64xf32>) -> !mdh.mda<16x64, f32, f32>
  %h2 = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%x: f32, %y: f32):
    %zero = arith.constant 0.0 : f32
    %sum = arith.addf %x, %y : f32
    %r = arith.maxnumf %sum, %zero : f32
    mdh.hom.yield %r : f32
  } : !mdh.mda<16x64, f32, f32> -> !mdh.mda<16x64, f32>
  %w = mdh.view.out_view %h2[affine_map<(i, j) -> (i, j)>] : !mdh.mda<16x64, f32> -> tensor<16x64xf32>
  return %w : tensor<16x64xf32>
}
