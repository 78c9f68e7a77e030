//===- HomVerify.cpp - the rules of homomorphisms, C11 to C24 --------------------===//
#include "Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mdh;

LogicalResult MdHomOp::verify() {
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
    auto text = [](int64_t extent) { return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent); };
    return emitOpError("C12: requires extent ")
           << text(expected) << " of the result in dimension " << d + 1 << " for " << combine << ", but it has "
           << text(actual);
  }
  if (output.getScalars().empty())
    return emitOpError("C12: requires at least one component of the result");
  return success();
}

LogicalResult MdHomOp::verifyRegions() {
  return verifyScalarFunction(*this, getScalar(), cast<MdaType>(getMda().getType()).getScalars(),
                              cast<MdaType>(getResult().getType()).getScalars());
}

/// The functions of two operators are the same, whether they are applied point-wise or as a prefix sum.
static bool sameFunction(Attribute left, Attribute right, size_t arity) {
  if (symbolOf(left) || symbolOf(right))
    return symbolOf(left) == symbolOf(right);
  auto kinds = [&](Attribute attr) {
    auto pointWise = dyn_cast<PointWiseAttr>(attr);
    ArrayRef<Kind> given = pointWise ? pointWise.getKinds() : cast<PrefixSumAttr>(attr).getKinds();
    return given.size() == 1 ? SmallVector<Kind>(arity, given[0]) : SmallVector<Kind>(given);
  };
  return kinds(left) == kinds(right);
}

LogicalResult MdHomOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto input = cast<MdaType>(getMda().getType()), output = cast<MdaType>(getResult().getType());
  ArrayRef<Type> tuple = output.getScalars();
  std::optional<size_t> first;
  for (auto [d, combine] : llvm::enumerate(getCombine())) {
    if (failed(verifyOperator(*this, combine, d, tuple, symbolTable)))
      return failure();
    if (isa<ConcatenationAttr>(combine))
      continue;
    OperatorOp user;
    if (FlatSymbolRefAttr symbol = symbolOf(combine))
      user = symbolTable.lookupNearestSymbolFrom<OperatorOp>(*this, symbol);
    // C21
    if (isa<PointWiseAttr>(combine) && input.getExtents()[d] == 0 && user && user.getIdentity().empty()) {
      InFlightDiagnostic diagnostic = emitOpError("C21: requires an identity for ")
                                      << symbolOf(combine) << ", because dimension " << d + 1 << " has extent 0";
      diagnostic.attachNote(user.getLoc()) << "the operator is here";
      return diagnostic;
    }
    if (!first) {
      first = d;
      continue;
    }
    // C20 (Lemma 10)
    if (getHomomorphism())
      continue;
    if (!sameFunction(getCombine()[*first], combine, tuple.size()))
      return emitOpError("C20: requires one function for all dimensions that are not concatenated, but dimension ")
             << *first + 1 << " has " << getCombine()[*first] << " and dimension " << d + 1 << " has " << combine;
    if (user && !user.getCommutative()) {
      InFlightDiagnostic diagnostic =
          emitOpError("C20: requires a commutative function in dimensions ")
          << *first + 1 << " and " << d + 1 << ", because they are combined in any order, but " << symbolOf(combine)
          << " is not declared commutative";
      diagnostic.attachNote(user.getLoc()) << "the operator is here";
      return diagnostic;
    }
  }
  return success();
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

LogicalResult ComputeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C24
  auto hom = getComputation().getAs<DictionaryAttr>("md_hom");
  if (!hom)
    return emitOpError("C24: requires an entry md_hom, a dictionary with scalar_func and combine_ops");
  auto symbol = hom.getAs<FlatSymbolRefAttr>("scalar_func");
  if (!symbol)
    return emitOpError("C24: requires a symbol as scalar_func of md_hom");
  return success();
}
