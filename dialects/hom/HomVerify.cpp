//===- HomVerify.cpp - the rules of homomorphisms and operators, C11 to C23 --------------------===//
#include "Verify.h"


using namespace mlir;
using namespace mdh;

LogicalResult MdHomOp::verify() {
  if (failed(verifyDefinedBefore(*this)))
    return failure();
  auto input = cast<MdaType>(getMda().getType()), output = cast<MdaType>(getResult().getType());
  // C11
  if (getCombine().size() != input.getExtents().size())
    return emitOpError("C11: requires a combine operator for each of the ")
           << input.getExtents().size() << " dimensions, but has " << getCombine().size();
  for (auto [d, combine] : llvm::enumerate(getCombine()))
    if (!isa<ConcatenationAttr, PointWiseAttr, PrefixSumAttr>(combine))
      return emitOpError("C11: requires #mdh.cc, #mdh.pw or #mdh.ps for dimension ") << d + 1 << ", but has " << combine;
  // C12
  if (output.getExtents().size() != input.getExtents().size())
    return emitOpError("C12: requires a result with ")
           << input.getExtents().size() << " extents, but it has " << output.getExtents().size();
  for (auto [d, combine] : llvm::enumerate(getCombine())) {
    int64_t expected = isa<PointWiseAttr>(combine) ? 1 : input.getExtents()[d], actual = output.getExtents()[d];
    if (expected == actual)
      continue;
    return emitOpError("C12: requires extent ")
           << countText(expected) << " of the result in dimension " << d + 1 << " for " << combine << ", but it has "
           << countText(actual);
  }
  if (output.getScalars().empty())
    return emitOpError("C12: requires at least one component of the result");
  return success();
}

LogicalResult MdHomOp::verifyRegions() {
  return verifyScalarFunction(*this, getScalar(), cast<MdaType>(getMda().getType()).getScalars(),
                              cast<MdaType>(getResult().getType()).getScalars());
}

LogicalResult MdHomOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  ArrayRef<int64_t> extents = cast<MdaType>(getMda().getType()).getExtents();
  ArrayRef<Type> tuple = cast<MdaType>(getResult().getType()).getScalars();
  for (auto [d, combine] : llvm::enumerate(getCombine()))
    if (failed(verifyOperator(*this, combine, d, tuple, symbolTable)))
      return failure();
  return verifyHomomorphism(*this, llvm::to_vector(getCombine()), extents, tuple, getHomomorphism(), symbolTable);
}

LogicalResult YieldOp::verify() {
  // C16
  Operation *parent = (*this)->getParentOp();
  if (isa_and_nonnull<MdHomOp, ScalarOp, OperatorOp>(parent))
    return success();
  return emitOpError("C16: requires to be in an mdh.hom.md_hom, mdh.hom.operator or mdh.lowlevel.scalar");
}

LogicalResult IndexOp::verify() {
  // C22
  Operation *parent = (*this)->getParentOp();
  while (parent && !isa<MdHomOp, ScalarOp, OperatorOp>(parent))
    parent = parent->getParentOp();
  if (!isa_and_nonnull<MdHomOp, ScalarOp>(parent))
    return emitOpError("C22: requires to be in the scalar function of an mdh.hom.md_hom");
  auto mda = dyn_cast<MdaType>(parent->getOperand(0).getType());
  uint64_t rank = mda ? mda.getExtents().size() : 0;
  if (getDimension() < rank)
    return success();
  InFlightDiagnostic diagnostic = emitOpError("C22: requires a dimension below ") << rank << ", but it is " << getDimension();
  diagnostic.attachNote(parent->getLoc()) << "the scalar function is here";
  return diagnostic;
}

OpFoldResult IndexOp::fold(FoldAdaptor) {
  // The only point of a dimension with extent 1 is point 0.
  Operation *parent = (*this)->getParentOp();
  while (parent && !isa<MdHomOp, ScalarOp, OperatorOp>(parent))
    parent = parent->getParentOp();
  auto mda = parent && parent->getNumOperands() ? dyn_cast<MdaType>(parent->getOperand(0).getType()) : MdaType();
  if (!mda || getDimension() >= mda.getExtents().size() || mda.getExtents()[getDimension()] != 1)
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), 0);
}

LogicalResult OperatorOp::verifyRegions() {
  // C23
  ArrayRef<Type> inputs = getFunctionType().getInputs(), results = getFunctionType().getResults();
  bool twice = !results.empty() && inputs.size() == 2 * results.size() &&
               inputs.take_front(results.size()) == results && inputs.take_back(results.size()) == results;
  if (!twice)
    return emitOpError("C23: requires to take two tuples of the type that it yields, but it has type ")
           << getFunctionType();
  for (Type type : results)
    if (!isScalar(type))
      return emitOpError("C23: requires tuples of scalars, but has ") << type;
  if (failed(verifyScalarFunction(*this, getBody(), inputs, results)))
    return failure();
  return getIdentity().empty() ? success() : verifyScalarFunction(*this, getIdentity(), {}, results);
}
