// Published schedules as scripts: examples/schedules.
// RUN: mdh explain %examples/schedules/matvec_figure17.mlir --export %t.json
// RUN: diff %t.json %examples/schedules/matvec_figure17.json
// RUN: mdh explain %examples/schedules/matmul_resnet50_tvm.mlir --export %t.json
// RUN: diff %t.json %examples/schedules/matmul_resnet50_tvm.json
// RUN: mdh explain %examples/schedules/matmul_resnet50_ppcg.mlir --export - | FileCheck %s --check-prefix=PPCG
// RUN: mdh explain %examples/schedules/matmul_resnet50_pluto.mlir --export - | FileCheck %s --check-prefix=PLUTO
// RUN: mdh compile %examples/schedules/matmul_resnet50_ppcg.mlir --target cuda --arch sm_90 --emit ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=KERNEL --input-file %t.json
// RUN: %python %S/../../raise/Inputs/arrays.py %t 512x4096 4096 16x2048 2048x1000
// RUN: mdh run %examples/schedules/matvec_figure17.mlir --input %t0.npy --input %t1.npy --check
// Sums of the inputs are exact, so all schedules have the same result, which the evaluator computes once.
// RUN: mdh run %examples/schedules/matmul_resnet50_tvm.mlir --input %t2.npy --input %t3.npy --check --output %t.tvm.npy
// RUN: mdh run %examples/schedules/matmul_resnet50_ppcg.mlir --input %t2.npy --input %t3.npy --output %t.ppcg.npy
// RUN: cmp %t.tvm.npy %t.ppcg.npy
// RUN: mdh run %examples/schedules/matmul_resnet50_pluto.mlir --input %t2.npy --input %t3.npy --output %t.pluto.npy
// RUN: cmp %t.tvm.npy %t.pluto.npy

// PPCG: "parts": {{\[\[}}1, 32, 1], [1, 1, 64], [16, 32, 1], [1, 1, 32], [1, 1, 1]]
// PPCG: "reads": ["SM[1, 2]", "SM[1, 2]"],
// PPCG-NEXT: "writes": ["RM[1, 2]"]
// PLUTO: "parts": {{\[\[}}4, 1, 1], [1, 1, 1], [1, 32, 64], [4, 32, 32]]
// PLUTO: "order": {{\[\[}}1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 12, 11]]

// KERNEL: "grid": [
// KERNEL-NEXT: 32,
// KERNEL-NEXT: 1,
// KERNEL-NEXT: 1
// KERNEL-NEXT: ],
// KERNEL-NEXT: "block": [
// KERNEL-NEXT: 32,
// KERNEL-NEXT: 16,
// KERNEL-NEXT: 1
