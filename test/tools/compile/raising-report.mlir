// The report of raising: the modules and functions that are lowered, what they become, and what stays for which reason.
// RUN: rm -rf %t && mkdir -p %t && split-file %s %t
//
// mdh-opt writes it, for the pipeline and for the pass.
// RUN: mdh-opt --lower-mdh="report=%t/opt.json stop-after=raise" %t/program.mlir -o %t/raised.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: program.mlir:11:3: remark: is not raised: requires that iterations do not depend on each other
// RUN: FileCheck %s --check-prefix=MODULE < %t/opt.json
// MODULE:      "version": 1,
// MODULE-NEXT: "arrays": [],
// MODULE-NEXT: "raised": [
// MODULE-NEXT:   {
// MODULE-NEXT:     "at": "{{.*}}program.mlir:2:3",
// MODULE-NEXT:     "function": "sum",
// MODULE:        "#mdh.pw<[add]>"
// MODULE:      "stays": [
// MODULE-NEXT:   {
// MODULE-NEXT:     "at": "{{.*}}program.mlir:11:3",
// MODULE-NEXT:     "function": "products",
// MODULE-NEXT:     "operation": "affine.for",
// MODULE-NEXT:     "reason": "requires that iterations do not depend on each other
// RUN: mdh-opt --pass-pipeline="builtin.module(mdh-raise{report={%t/pass.json}})" %t/program.mlir -o %t/raised.mlir
// RUN: cmp %t/opt.json %t/pass.json
//
// An error of raising does not prevent it.
// RUN: not mdh-opt --lower-mdh="report=%t/required.json raise=required" %t/program.mlir
// RUN: cmp %t/opt.json %t/required.json
//
// The modules of a file share a report; `-` is the standard output.
// RUN: cat %t/program.mlir %t/separator %t/program.mlir > %t/two.mlir
// RUN: mdh-opt --split-input-file --mdh-raise=report=- %t/two.mlir -o %t/raised.mlir | FileCheck %s --check-prefix=TWO
// TWO: "raised": [
// TWO-COUNT-2: "function": "sum"
// TWO: "stays": [
// TWO-COUNT-2: "function": "products"
//
// mdh reports on the functions that it compiles.
// RUN: mdh compile %t/program.mlir --function sum --emit raise -o %t/raised.mlir --report - | FileCheck %s --check-prefix=FUNCTION
// RUN: mdh run %t/program.mlir --function sum --input 1 --input 2 --report - --check | FileCheck %s --check-prefixes=FUNCTION,CHECKED
// FUNCTION: "function": "sum"
// FUNCTION: "stays": []
// CHECKED: agrees with the reference evaluator
// RUN: not mdh run %t/program.mlir --function products --input 1 --raise required --report %t/run.json 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: error: {{.*}} cannot be raised: requires that iterations do not depend on each other
// RUN: FileCheck %s --check-prefix=STAYS < %t/run.json
// STAYS: "raised": [],
// STAYS: "operation": "affine.for"
//
// What prevents a report is an error.
// RUN: not mdh-opt --lower-mdh="report=a.json raise=false" %t/program.mlir 2>&1 | FileCheck %s --check-prefix=OPT-OFF
// OPT-OFF: error: the option report requires raise=true or raise=required, but got raise=false
// RUN: not mdh run %t/program.mlir --function sum --input 1 --input 2 --raise false --report - 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: not mdh compile %t/program.mlir --emit raise --raise false --report - 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: error: --report requires --raise true or required, but got false
// RUN: not mdh run %t/program.mlir --function sum --input 1 --input 2 --engine reference --report - 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: error: --report requires another engine than reference
// RUN: not mdh run %t/program.mlir --function sum --input 1 --input 2 --output %t/one --report %t/one 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: each output requires a file of its own, but two go to '{{.*}}one'
// RUN: not mdh-opt --mdh-raise=report=%t/none/a.json %t/program.mlir -o %t/raised.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write '{{.*}}a.json': there is no folder '{{.*}}none'

//--- separator
// -----
//--- program.mlir
func.func @sum(%x: memref<20xf32>, %sum: memref<f32> {llvm.noalias}) {
  affine.for %i = 0 to 20 {
    %a = affine.load %x[%i] : memref<20xf32>
    %b = affine.load %sum[] : memref<f32>
    %c = arith.addf %b, %a : f32
    affine.store %c, %sum[] : memref<f32>
  }
  return
}
func.func @products(%x: memref<20xf32>) {
  affine.for %i = 2 to 20 {
    %a = affine.load %x[%i - 2] : memref<20xf32>
    %b = affine.load %x[%i] : memref<20xf32>
    %c = arith.mulf %a, %b : f32
    affine.store %c, %x[%i] : memref<20xf32>
  }
  return
}
