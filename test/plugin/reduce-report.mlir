// The commands of docs/reducing.md make a small program of one that fails.

// RUN: rm -rf %t && mkdir -p %t && cp %s %t/program.mlir
// RUN: %python %root/test/tools/compile/Inputs/blocks.py %root/docs/reducing.md sh 'ln -s' > %t/all.sh
// RUN: %python %root/test/tools/compile/Inputs/blocks.py %root/docs/reducing.md sh 'SCRIPT' >> %t/all.sh
// RUN: %python %root/test/tools/compile/Inputs/blocks.py %root/docs/reducing.md sh 'reduction-tree' >> %t/all.sh
// RUN: cd %t && sh -e all.sh 2> messages
// RUN: FileCheck %s --implicit-check-not=func.func --implicit-check-not=arith < %t/small.mlir

// CHECK: func.func @main
// CHECK-NEXT: "torch.aten.sort"
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %sum = arith.addf %x, %y : tensor<8xf32>
  %sorted = "torch.aten.sort"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %product = arith.mulf %sum, %sorted : tensor<8xf32>
  return %sorted : tensor<8xf32>
}

func.func @other(%x: memref<8xf32>) {
  return
}
