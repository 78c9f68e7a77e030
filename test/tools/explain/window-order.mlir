// The reduction whose iterations read elements of a window again is the innermost one: it is unrolled, and has no exits.
// RUN: mdh explain %examples/mcc.mlir --function mcc_512 --machine %examples/machines/avx512.json --why | FileCheck %s
// RUN: mdh explain %examples/mcc.mlir --function mcc_512 --machine %examples/machines/avx2.json --why | FileCheck %s
// CHECK: loops: {{.*(registers z [47] .*vector 7 .* · 6 3|registers y [47] .*vector 7 .* · 5 3)$}}
