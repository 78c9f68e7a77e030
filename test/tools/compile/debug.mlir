// Debug information has source lines: of this file, or of the locations of a front end.
// RUN: mdh compile %s --function scale --emit llvm-ir -g | FileCheck %s --check-prefix=IR
// IR: define {{.*}}@_mlir_ciface_scale({{.*}} !dbg
// IR: fmul {{.*}}, !dbg [[PRODUCT:![0-9]+]]
// IR-DAG: !DIFile(filename: "debug.mlir"
// IR-DAG: [[PRODUCT]] = !DILocation(line: [[#@LINE+33]],
//
// RUN: mdh compile %s --function scale --emit object -g -o %t.o
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=OBJECT
// OBJECT: name: "debug.mlir"
// OBJECT: {{^0x[0-9a-f]+ +}}[[#@LINE+28]]{{ }}
// RUN: llvm-dwarfdump --debug-info %t.o | FileCheck %s --check-prefix=NAMES
// NAMES: DW_TAG_compile_unit
//
// RUN: mdh compile %s --function scale --target cuda --emit ptx -g | FileCheck %s --check-prefix=PTX
// PTX: .target sm_80{{$}}
// PTX: .loc [[FILE:[0-9]+]] [[#@LINE+22]]
// PTX-NEXT: mul.f32
// PTX: .file [[FILE]] "{{.*}}debug.mlir"
//
// RUN: mdh compile %s --function model --emit llvm-ir -g | FileCheck %s --check-prefix=MODEL
// RUN: mdh compile %s --function model --target cuda --emit ptx -g | FileCheck %s --check-prefix=MODEL-PTX
// MODEL-DAG: !DIFile(filename: "model.py"
// MODEL-DAG: !DILocation(line: 12, column: 7,
// MODEL-PTX: .loc {{[0-9]+}} 12 7
// MODEL-PTX: .file {{[0-9]+}} "model.py"
//
// Without the option there is no line information.
// RUN: mdh compile %s --function scale --emit llvm-ir | FileCheck %s --check-prefix=NONE --implicit-check-not=!DILocation
// NONE: define {{.*}}@scale(
// RUN: not mdh compile %s -g --emit loops 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: --debug requires --emit llvm-ir, assembly, object, shared or ptx, but got 'loops'

func.func @scale(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %factor = arith.constant 3.0 : f32
    %b = arith.mulf %a, %factor : f32
    mdh.hom.yield %b : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %res[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
}

func.func @model(%x: memref<64xf32>, %y: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32 loc("product"("model.py":12:7))
    mdh.hom.yield %b : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32> loc("model.py":11:1)
  mdh.view.out_view %res[affine_map<(i) -> (i)>] into %y : !mdh.mda<64, f32>, memref<64xf32>
  return
} loc("model.py":10:1)
