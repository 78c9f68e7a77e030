// A pass does not write files, so a report of raising requires a tool that does.
// REQUIRES: plugin
// RUN: not %stock-mlir-opt --pass-pipeline='builtin.module(mdh-raise{report=a.json})' %s 2>&1 | FileCheck %s
// CHECK: error: the option report requires a tool that writes reports, such as mdh-opt
module {}
