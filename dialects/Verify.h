//===- Verify.h - the verifiers, which are in Rust --------------------------===//
#ifndef MDH_VERIFY_H
#define MDH_VERIFY_H

#include "mlir-c/IR.h"
#include "mlir/IR/Types.h"

extern "C" {
/// Looks a symbol up in tables; null where there is no such symbol.
typedef MlirOperation (*MdhLookup)(void *tables, MlirOperation from,
                                   MlirStringRef symbol);

// Each reports the first rule that does not hold; false if there is one
// (`verify.rs`).

/// An operation by itself.
bool mdhVerify(MlirOperation op);
/// An operation together with what is in its regions.
bool mdhVerifyRegions(MlirOperation op);
/// An operation together with the symbols that it uses.
bool mdhVerifySymbolUses(MlirOperation op, MdhLookup lookup, void *tables);
}

namespace mdh {
/// Whether a scalar tuple may hold values of this type: f16, bf16, f32, f64,
/// integers, index.
bool isScalar(mlir::Type type);
} // namespace mdh

#endif // MDH_VERIFY_H
