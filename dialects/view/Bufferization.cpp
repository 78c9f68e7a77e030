//===- Bufferization.cpp - how views are bufferized -----------------------------===//
#include "MdhDialect.h"

void mdh::registerBufferization(mlir::DialectRegistry &) {}
