// Examples compute the same with arrays in device memory.
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: %on-ptx-driver %python %S/../Inputs/examples_on_device.py %examples %t | FileCheck %s
// CHECK-COUNT-10: agrees
