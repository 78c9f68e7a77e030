// Messages of engines that run kernels when a dependency is missing.
// RUN: env MDH_OPENCL_LIBRARY=missing.so bash -c 'mdh run %s --function sum --engine opencl --input 1; echo "exit code $?"' > %t 2>&1
// RUN: FileCheck %s --check-prefix=LOADER --match-full-lines < %t
// LOADER-NOT: {{.}}
// LOADER: error: no OpenCL device: MDH_OPENCL_LIBRARY requires the path of an ICD loader, got 'missing.so' ({{.*}})
// LOADER-NEXT: exit code 4
// RUN: not mdh run %s --function sum --engine reference --device 0 --input 1 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --device requires the engine cuda or opencl, but got reference

func.func @sum(%x: tensor<1000xf64>) -> tensor<f64> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1000xf64>) -> !mdh.mda<1000, f64>
  %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f64):
    mdh.hom.yield %a : f64
  } : !mdh.mda<1000, f64> -> !mdh.mda<1, f64>
  %y = mdh.view.out_view %r[affine_map<(i) -> ()>] : !mdh.mda<1, f64> -> tensor<f64>
  return %y : tensor<f64>
}
