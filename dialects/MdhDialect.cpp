//===- MdhDialect.cpp - registration of types, attributes and operations ------===//
#include "MdhDialect.h"
#include "lowlevel/Assembly.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mdh;

#include "mdh/MdhDialect.cpp.inc"
#include "mdh/MdhEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mdh/MdhAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mdh/MdhTypes.cpp.inc"

#define GET_OP_CLASSES
#include "mdh/MdhOps.cpp.inc"

void MdhDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mdh/MdhAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mdh/MdhTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mdh/MdhOps.cpp.inc"
      >();
}

Operation *MdhDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
