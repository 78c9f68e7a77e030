//===- ComputeVerify.cpp - the rules of the published form, C24 ---------------------===//
#include "Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mdh;

namespace {
/// An array that an entry of a dictionary must be; null, after an error, where it is none.
ArrayAttr arrayOf(ComputeOp op, DictionaryAttr dictionary, StringRef key) {
  Attribute entry = dictionary.get(key);
  auto list = dyn_cast_or_null<ArrayAttr>(entry);
  if (list)
    return list;
  InFlightDiagnostic diagnostic = op.emitOpError("C24: requires an array as entry ") << key;
  if (entry)
    diagnostic << ", but it is " << entry;
  else
    diagnostic << ", but there is none";
  return {};
}
} // namespace

/// C24: a view lists index functions of all dimensions for each buffer, whose types are known.
static LogicalResult verifyView(ComputeOp op, StringRef view, StringRef types, TypeRange buffers, size_t rank) {
  ArrayAttr accesses = arrayOf(op, op.getComputation(), view), scalars = arrayOf(op, op.getTypes(), types);
  if (!accesses || !scalars)
    return failure();
  for (auto [key, list] : {std::pair(view, accesses), {types, scalars}})
    if (list.size() != buffers.size())
      return op.emitOpError("C24: requires an entry in ")
             << key << " for each of the " << buffers.size() << " buffers, but has " << list.size();
  for (auto [i, bracket, scalar, buffer] : llvm::enumerate(accesses, scalars, buffers)) {
    auto type = dyn_cast<TypeAttr>(scalar);
    Type element = cast<ShapedType>(buffer).getElementType();
    if (!type || type.getValue() != element)
      return op.emitOpError("C24: requires entry ")
             << i + 1 << " of " << types << " to be the element type of its buffer, " << element << ", but it is " << scalar;
    if (!isScalar(element))
      return op.emitOpError("C24: requires f16, bf16, f32, f64, a signless integer or index as entry ")
             << i + 1 << " of " << types << ", but it is " << element;
    auto maps = dyn_cast<ArrayAttr>(bracket);
    if (!maps || maps.empty())
      return op.emitOpError("C24: requires at least one index function for buffer ") << i + 1 << " of " << view;
    for (Attribute attr : maps) {
      auto map = dyn_cast<AffineMapAttr>(attr);
      if (!map || map.getValue().getNumSymbols() || map.getValue().getNumDims() != rank)
        return op.emitOpError("C24: requires an index function of ")
               << rank << " dimensions for buffer " << i + 1 << " of " << view << ", but it is " << attr;
    }
  }
  return success();
}

LogicalResult ComputeOp::verify() {
  ArrayAttr sizes = arrayOf(*this, getTypes(), "mda_size");
  if (!sizes)
    return failure();
  if (sizes.empty())
    return emitOpError("C24: requires at least one size in mda_size");
  for (Attribute size : sizes) {
    auto number = dyn_cast<IntegerAttr>(size);
    auto text = dyn_cast<StringAttr>(size);
    bool valid = (number && number.getValue().getActiveBits() < 64) || (text && text.getValue() == "?");
    if (!valid)
      return emitOpError("C24: requires sizes of at least 0 or \"?\" in mda_size, but one is ") << size;
    if (number && number.getValue().ugt(maxExtent))
      return emitOpError("C24: requires sizes of at most 2^62 in mda_size, but one is ") << size;
  }
  auto hom = getComputation().getAs<DictionaryAttr>("md_hom");
  if (!hom)
    return emitOpError("C24: requires an entry md_hom, a dictionary with scalar_func and combine_ops");
  if (!hom.getAs<FlatSymbolRefAttr>("scalar_func"))
    return emitOpError("C24: requires a symbol as scalar_func of md_hom");
  ArrayAttr operators = arrayOf(*this, hom, "combine_ops");
  if (!operators)
    return failure();
  if (operators.size() != sizes.size())
    return emitOpError("C24: requires a combine operator for each of the ")
           << sizes.size() << " sizes, but combine_ops has " << operators.size();
  for (Attribute combine : operators) {
    auto text = dyn_cast<StringAttr>(combine);
    auto pair = dyn_cast<ArrayAttr>(combine);
    auto kind = pair && pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    bool function = kind && (kind.getValue() == "pw" || kind.getValue() == "ps") && isa<FlatSymbolRefAttr>(pair[1]);
    if (!function && !(text && text.getValue() == "cc"))
      return emitOpError("C24: requires \"cc\", [\"pw\", @FUNCTION] or [\"ps\", @FUNCTION] in combine_ops, but one is ")
             << combine;
  }
  return failure(failed(verifyView(*this, "inp_view", "inp_types", getInputs().getTypes(), sizes.size())) ||
                 failed(verifyView(*this, "out_view", "out_types", getOutputs().getTypes(), sizes.size())));
}

/// The scalar tuple of a view: the element type of each buffer once for each of its accesses.
static SmallVector<Type> tupleOf(ComputeOp op, StringRef view, TypeRange buffers) {
  SmallVector<Type> tuple;
  for (auto [bracket, buffer] : llvm::zip_equal(op.getComputation().getAs<ArrayAttr>(view), buffers))
    tuple.append(cast<ArrayAttr>(bracket).size(), cast<ShapedType>(buffer).getElementType());
  return tuple;
}

LogicalResult ComputeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  SmallVector<Type> inputs = tupleOf(*this, "inp_view", getInputs().getTypes());
  SmallVector<Type> outputs = tupleOf(*this, "out_view", getOutputs().getTypes());
  auto hom = getComputation().getAs<DictionaryAttr>("md_hom");
  // C24: the symbols are functions with a body and the right signature, operators also an mdh.hom.operator.
  auto check = [&](FlatSymbolRefAttr symbol, StringRef role, FunctionType wanted) -> LogicalResult {
    Operation *found = symbolTable.lookupNearestSymbolFrom(*this, symbol);
    if (!found)
      return emitOpError("C24: requires a function ") << symbol << " as " << role << ", but there is no such symbol";
    auto function = dyn_cast<func::FuncOp>(found);
    auto user = role == "scalar_func" ? OperatorOp() : dyn_cast<OperatorOp>(found);
    FunctionType type = function ? function.getFunctionType() : user ? user.getFunctionType() : FunctionType();
    if (type == wanted && (user || !function.isExternal()))
      return success();
    InFlightDiagnostic diagnostic = emitOpError("C24: requires a function ") << symbol << " of type " << wanted << " as " << role;
    if (!type)
      diagnostic << ", but it is " << found->getName();
    else if (type != wanted)
      diagnostic << ", but it has type " << type;
    else
      diagnostic << ", but it has no body";
    diagnostic.attachNote(found->getLoc()) << "the symbol is here";
    return diagnostic;
  };
  Builder builder(getContext());
  if (failed(check(hom.getAs<FlatSymbolRefAttr>("scalar_func"), "scalar_func", builder.getFunctionType(inputs, outputs))))
    return failure();
  SmallVector<Type> twice(outputs);
  twice.append(outputs);
  for (Attribute combine : hom.getAs<ArrayAttr>("combine_ops"))
    if (auto pair = dyn_cast<ArrayAttr>(combine))
      if (failed(check(cast<FlatSymbolRefAttr>(pair[1]), "operator", builder.getFunctionType(twice, outputs))))
        return failure();
  return success();
}
