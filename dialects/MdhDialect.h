//===- MdhDialect.h - C++ declarations of the mdh dialect -------------------===//
#ifndef MDH_MDH_H
#define MDH_MDH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mdh/MdhDialect.h.inc"
#include "mdh/MdhEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mdh/MdhAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mdh/MdhTypes.h.inc"

#define GET_OP_CLASSES
#include "mdh/MdhOps.h.inc"

namespace mdh {
/// Registers the bufferization of the views.
void registerBufferization(mlir::DialectRegistry &registry);
/// Registers the tiling of computations.
void registerTiling(mlir::DialectRegistry &registry);
} // namespace mdh

#endif // MDH_MDH_H
