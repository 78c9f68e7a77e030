//===- Verify.h - what the rules of several operations share -------------------===//
#ifndef MDH_VERIFY_H
#define MDH_VERIFY_H

#include "MdhDialect.h"

#include "mlir/IR/AffineMap.h"

namespace mdh {
/// The largest static extent: rounded up to a multiple of the parts of a schedule, it still is a number of 64 bits.
constexpr int64_t maxExtent = int64_t(1) << 62;

/// A linear form: a constant and a coefficient for each dimension.
struct Linear {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> coefficients;
};

/// The linear form of an index expression over `rank` dimensions; none where it is not linear, or does not fit in 64 bits.
std::optional<Linear> linearize(mlir::AffineExpr expr, unsigned rank);

/// The smallest and the largest value over the extents; none where an extent that matters is dynamic or zero, or where it
/// does not fit in 64 bits.
std::optional<std::pair<int64_t, int64_t>> range(const Linear &linear,
                                                 llvm::ArrayRef<int64_t> extents);

/// Whether a scalar tuple may hold values of this type: f16, bf16, f32, f64, integers, index.
bool isScalar(mlir::Type type);

/// Checks that the block of a scalar function takes `inputs`, that it yields `outputs`, and that the reference evaluator can
/// run what is in it.
mlir::LogicalResult verifyScalarFunction(mlir::Operation *op, mlir::Region &region,
                                         llvm::ArrayRef<mlir::Type> inputs,
                                         llvm::ArrayRef<mlir::Type> outputs);

/// Checks that a combine operator of dimension `dimension` (from 0) can combine a tuple of these types.
mlir::LogicalResult verifyOperator(mlir::Operation *op, mlir::Attribute combine, unsigned dimension,
                                   llvm::ArrayRef<mlir::Type> tuple,
                                   mlir::SymbolTableCollection &symbolTable);

/// C25: an MDA is defined before it is used, also where the order of operations means nothing. So chains end.
mlir::LogicalResult verifyDefinedBefore(mlir::Operation *op);

/// C20, C21: whether the operators of all dimensions make a homomorphism together (Lemma 10), and have an identity where the
/// extent is zero. Each of them is checked already.
mlir::LogicalResult verifyHomomorphism(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> combine,
                                       llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<mlir::Type> tuple, bool declared,
                                       mlir::SymbolTableCollection &symbolTable);

/// An extent or a part count in messages.
std::string countText(int64_t count);

/// The symbol of a point-wise or prefix-sum operator, or null.
mlir::FlatSymbolRefAttr symbolOf(mlir::Attribute combine);
} // namespace mdh

#endif // MDH_VERIFY_H
