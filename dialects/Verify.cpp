//===- Verify.cpp - calls the verifiers, which are written in Rust ------------===//
#include "Verify.h"
#include "MdhDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace mdh;

LogicalResult InpViewOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult OutViewOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult MdHomOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult YieldOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult IndexOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult ComputeOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult SystemOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult DecomposeOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult ScalarOp::verify() { return success(mdhVerify(wrap(getOperation()))); }
LogicalResult RecomposeOp::verify() { return success(mdhVerify(wrap(getOperation()))); }

LogicalResult MdHomOp::verifyRegions() { return success(mdhVerifyRegions(wrap(getOperation()))); }
LogicalResult OperatorOp::verifyRegions() { return success(mdhVerifyRegions(wrap(getOperation()))); }
LogicalResult ScalarOp::verifyRegions() { return success(mdhVerifyRegions(wrap(getOperation()))); }
LogicalResult ScheduleOp::verifyRegions() { return success(mdhVerifyRegions(wrap(getOperation()))); }

static LogicalResult verifySymbols(Operation *op, SymbolTableCollection &symbolTable) {
  MdhLookup lookup = [](void *tables, MlirOperation from, MlirStringRef symbol) {
    auto name = StringAttr::get(unwrap(from)->getContext(), unwrap(symbol));
    return wrap(static_cast<SymbolTableCollection *>(tables)->lookupNearestSymbolFrom(unwrap(from), name));
  };
  return success(mdhVerifySymbolUses(wrap(op), lookup, &symbolTable));
}
LogicalResult MdHomOp::verifySymbolUses(SymbolTableCollection &symbolTable) { return verifySymbols(*this, symbolTable); }
LogicalResult ComputeOp::verifySymbolUses(SymbolTableCollection &symbolTable) { return verifySymbols(*this, symbolTable); }
LogicalResult ScalarOp::verifySymbolUses(SymbolTableCollection &symbolTable) { return verifySymbols(*this, symbolTable); }
LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbolTable) { return verifySymbols(*this, symbolTable); }
LogicalResult RecomposeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifySymbols(*this, symbolTable);
}

bool mdh::isScalar(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isSignlessInteger() || type.isIndex();
}

/// C1. Types are verified at construction, where no operation exists yet.
LogicalResult MdaType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> extents,
                              ArrayRef<Type> scalars) {
  constexpr int64_t largest = int64_t(1) << 62;
  if (extents.empty())
    return emitError() << "C1: requires at least one extent";
  for (int64_t extent : extents)
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitError() << "C1: requires extents that are not negative, but one is " << extent;
  for (int64_t extent : extents)
    if (extent > largest)
      return emitError() << "C1: requires extents of at most 2^62, but one is " << extent;
  for (Type scalar : scalars)
    if (!isScalar(scalar))
      return emitError() << "C1: requires f16, bf16, f32, f64, a signless integer or index as scalar type, but one is "
                         << scalar;
  return success();
}
