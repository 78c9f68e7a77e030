// --threads is the number of threads for default schedules, the same way in every tool.
// RUN: mdh explain %s --function dot --machine %examples/machines/avx512.json --threads 1 --why | FileCheck %s --check-prefix=ONE
// RUN: mdh explain %s --function dot --machine %examples/machines/avx512.json --threads 8 --why | FileCheck %s --check-prefix=EIGHT
// RUN: mdh explain %s --function dot --machine %examples/machines/avx512.json --threads 8 --strict --why | FileCheck %s --check-prefix=ORDER
// RUN: mdh compile %s --function dot --machine %examples/machines/avx512.json --threads 1 --emit openmp | FileCheck %s --check-prefix=SEQUENTIAL
// RUN: mdh compile %s --function dot --machine %examples/machines/avx512.json --threads 8 --emit openmp | FileCheck %s --check-prefix=PARALLEL
// RUN: mdh-opt %s --lower-mdh="machine=%examples/machines/avx512.json threads=1 stop-after=openmp" | FileCheck %s --check-prefix=SEQUENTIAL
// RUN: mdh-opt %s --lower-mdh="machine=%examples/machines/avx512.json threads=8 stop-after=openmp" | FileCheck %s --check-prefix=PARALLEL
// RUN: not mdh-opt %s --lower-mdh=threads=0 2>&1 | FileCheck %s --check-prefix=NONE

// ONE-NOT: loops: {{.*}}threads
// ONE: loops: {{.*}}vector x
// EIGHT: loops: threads x
// ORDER-NOT: loops: {{.*}}(threads|registers|vector)
// ORDER: loops: x 1048576{{$}}
// SEQUENTIAL-NOT: omp.parallel
// SEQUENTIAL: vector.shuffle
// SEQUENTIAL-NOT: omp.parallel
// PARALLEL: omp.parallel
// NONE: error: the option threads expects a number from 1 to 65536, got '0'

// Another system does not distribute ordered sums over threads, either.
// RUN: mdh explain %s --function dot --system openmp --strict --all-rows | FileCheck %s --check-prefix=OPENMP
// OPENMP: (1, 1){{ +}}1{{ +}}1 {{.*}}COR,x

// Strict results do not depend on the number of threads: summing so many tenths in another order would change the last digits.
// RUN: mdh run %s --function dot --machine %examples/machines/avx512.json --strict --threads 1 --input 0.1 --output %t.1.npy
// RUN: mdh run %s --function dot --machine %examples/machines/avx512.json --strict --threads 8 --input 0.1 --output %t.8.npy
// RUN: cmp %t.1.npy %t.8.npy
// RUN: mdh run %s --function rows --machine %examples/machines/avx512.json --strict --threads 1 --input 0.1 --output %t.1.npy
// RUN: mdh run %s --function rows --machine %examples/machines/avx512.json --strict --threads 8 --input 0.1 --output %t.8.npy
// RUN: cmp %t.1.npy %t.8.npy

func.func @dot(%x: tensor<1048576xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1048576xf32>) -> !mdh.mda<1048576, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<1048576, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %r[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @rows(%x: tensor<40x300x7xf32>) -> tensor<40xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, j, k)>] : (tensor<40x300x7xf32>) -> !mdh.mda<40x300x7, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<40x300x7, f32> -> !mdh.mda<40x1x1, f32>
  %y = mdh.view.out_view %r[affine_map<(i, j, k) -> (i)>] : !mdh.mda<40x1x1, f32> -> tensor<40xf32>
  return %y : tensor<40xf32>
}
