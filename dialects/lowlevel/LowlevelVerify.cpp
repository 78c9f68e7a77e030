//===- LowlevelVerify.cpp - the rules of systems and low-level steps -----------===//
#include "MdhDialect.h"

using namespace mlir;
using namespace mdh;

LogicalResult SystemOp::verify() { return success(); }
LogicalResult ScalarOp::verifyRegions() { return success(); }
LogicalResult ScalarOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult RecomposeOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
