// The object file of a module of PyTorch gives the results of PyTorch.
// REQUIRES: torch_mlir
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: %frontends-python %examples/frontends/pytorch_to_object.py %t/block.o | FileCheck %s
// CHECK: agrees
// RUN: FileCheck %s --check-prefix=HEADER < %t/block.h
// HEADER: int32_t torch_block(const mdh_array *arguments, mdh_array *results, char *message);
