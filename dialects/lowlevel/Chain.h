//===- Chain.h - the steps of a low-level expression ------------------------------===//
#ifndef MDH_LOWLEVEL_CHAIN_H
#define MDH_LOWLEVEL_CHAIN_H

#include "Verify.h"

namespace mdh {
/// Checks the rules S1 to S10 and S12 on every low-level expression that a scalar step is part of, as far as its steps are there and
/// say something. `system` is null where it is not declared.
mlir::LogicalResult verifyChains(ScalarOp scalar, SystemOp system, mlir::SymbolTableCollection &symbolTable);
} // namespace mdh

#endif // MDH_LOWLEVEL_CHAIN_H
