//===- HomVerify.cpp - the rules of homomorphisms ------------------------------===//
#include "MdhDialect.h"

using namespace mlir;
using namespace mdh;

LogicalResult MdHomOp::verify() { return success(); }
LogicalResult MdHomOp::verifyRegions() { return success(); }
LogicalResult MdHomOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult YieldOp::verify() { return success(); }
LogicalResult IndexOp::verify() { return success(); }
LogicalResult OperatorOp::verifyRegions() { return success(); }
LogicalResult ComputeOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
