// Tiles are packed in the order of the loops over them, here those of the last axis of input 2 (z) before those of its first one (4).
// RUN: mdh explain %examples/ccsdt_gfab_degc.mlir --function ccsdt_gfab_degc_real --machine %examples/machines/avx512.json --why | FileCheck %s
// RUN: mdh explain %examples/ccsdt_gfab_degc.mlir --function ccsdt_gfab_degc_real --machine %examples/machines/avx2.json --why | FileCheck %s
// CHECK: part of input 2 {{.*}} L2[4, 1, 2, 3, {{[0-9]}}]
// CHECK: loops: {{.*}} z {{[0-9]+}} · 4 {{[0-9]+}} · 5
