//===- Verify.h - the verifiers, which are written in Rust ------------------===//
#ifndef MDH_VERIFY_H
#define MDH_VERIFY_H

#include "mlir-c/IR.h"
#include "mlir/IR/Types.h"

extern "C" {
/// Looks up a symbol in `tables`; returns null if there is no such symbol.
typedef MlirOperation (*MdhLookup)(void *tables, MlirOperation from,
                                   MlirStringRef symbol);

// Verifiers, implemented in `verify.rs`. Each reports the first violated rule and returns false if there is one.

/// Verifies an operation by itself.
bool mdhVerify(MlirOperation op);
/// Verifies an operation together with the contents of its regions.
bool mdhVerifyRegions(MlirOperation op);
/// Verifies an operation together with the symbols that it uses.
bool mdhVerifySymbolUses(MlirOperation op, MdhLookup lookup, void *tables);
}

namespace mdh {
/// True if a scalar tuple may contain values of this type: f16, bf16, f32, f64, signless integers, index.
bool isScalar(mlir::Type type);
} // namespace mdh

#endif // MDH_VERIFY_H
