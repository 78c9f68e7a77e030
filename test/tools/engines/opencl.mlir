// The messages of an engine whose device is available.
// REQUIRES: opencl
// RUN: mdh run %s --engine opencl --threads 2 --check > %t 2>&1
// RUN: FileCheck %s --check-prefix=THREADS < %t
// THREADS: note: --threads has no effect on kernels: their blocks and threads are those of the schedule, on all of the device
// THREADS-NEXT: agrees with the reference evaluator
// RUN: bash -c 'mdh run %s --engine opencl --device abacus; echo "exit code $?"' > %t 2>&1
// RUN: FileCheck %s --check-prefix=NAME < %t
// NAME: error: no OpenCL device has the index or the name 'abacus'; there are: 0 '
// NAME-NEXT: exit code 1

func.func @index() -> tensor<100xindex> {
  %in = mdh.view.inp_view : () -> !mdh.mda<100>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0:
    %i = mdh.hom.index 0 : index
    mdh.hom.yield %i : index
  } : !mdh.mda<100> -> !mdh.mda<100, index>
  %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<100, index> -> tensor<100xindex>
  return %y : tensor<100xindex>
}
