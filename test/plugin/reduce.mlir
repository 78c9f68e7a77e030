// mdh-reduce reads what mdh reads: text and bytecode, also from the standard input, and operations that are not registered.

// RUN: rm -rf %t && mkdir -p %t
// RUN: ln -sf %mdh-opt-file %t/mdh-reduce
// RUN: printf '#!/bin/sh\n! grep -q aten.relu "$1"\n' > %t/test.sh && chmod +x %t/test.sh
// RUN: %t/mdh-reduce %s --reduction-tree='traversal-mode=0 test=%t/test.sh' 2> %t/messages | FileCheck %s
// RUN: mdh-opt --allow-unregistered-dialect --emit-bytecode %s -o %t/program.mlirbc
// RUN: %t/mdh-reduce - --reduction-tree='traversal-mode=0 test=%t/test.sh' < %t/program.mlirbc 2> %t/messages | FileCheck %s

// CHECK-NOT: @other
// CHECK: func.func @relu
// CHECK-NEXT: "torch.aten.relu"
// CHECK-NEXT: }
func.func @relu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "torch.aten.relu"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %z = arith.addf %y, %y : tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func @other() {
  return
}
