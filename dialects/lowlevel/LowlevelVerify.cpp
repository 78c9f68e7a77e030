//===- LowlevelVerify.cpp - the rules of systems and of single steps, C26 to C36 ------===//
#include "lowlevel/Chain.h"
#include "lowlevel/Roles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mdh;

/// Whether schedule files can write a name, which they do inside of strings such as "HM[1, 2]" and "COR,x".
static bool isIdentifier(StringRef name) {
  return !llvm::isDigit(name.front()) && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult SystemOp::verify() {
  // C26
  if (getMemory().empty())
    return emitOpError("C26: requires at least one memory layer");
  llvm::StringSet<> names;
  for (ArrayAttr layers : {getMemory(), getCores()})
    for (StringRef name : layers.getAsValueRange<StringAttr>()) {
      if (name.empty())
        return emitOpError("C26: requires layers with a name, but one is empty");
      if (!isIdentifier(name)) {
        std::string escaped;
        llvm::raw_string_ostream stream(escaped);
        llvm::printEscapedString(name, stream);
        return emitOpError("C26: requires names of letters, digits and _ that start with no digit for layers, but one is \"")
               << escaped << '"';
      }
      if (!names.insert(name).second)
        return emitOpError("C26: requires layers with different names, but ") << name << " occurs twice";
    }
  size_t cores = getCores().size();
  if (ArrayAttr combine = getCombineAttr()) {
    if (combine.size() != cores)
      return emitOpError("C26: requires a region in combine for each of the ")
             << cores << " core layers, but has " << combine.size();
    for (Attribute region : combine)
      if (!llvm::is_contained(getMemory(), region))
        return emitOpError("C26: requires memory layers in combine, but has ") << cast<StringAttr>(region).getValue();
  }
  if (DenseI64ArrayAttr limit = getLimitAttr()) {
    if (static_cast<size_t>(limit.size()) != cores)
      return emitOpError("C26: requires a limit for each of the ") << cores << " core layers, but has " << limit.size();
    for (int64_t value : limit.asArrayRef())
      if (value < 1 && !ShapedType::isDynamic(value))
        return emitOpError("C26: requires limits of at least 1 or ?, but has ") << value;
  }
  // C33
  ArrayAttr memoryRoles = getMemoryRolesAttr(), coreRoles = getCoreRolesAttr();
  if (!memoryRoles && !coreRoles)
    return success();
  if (!memoryRoles || memoryRoles.size() != getMemory().size() || !coreRoles || coreRoles.size() != cores)
    return emitOpError("C33: requires a role for each of the ")
           << getMemory().size() << " memory layers and " << cores << " core layers, but has "
           << (memoryRoles ? memoryRoles.size() : 0) << " and " << (coreRoles ? coreRoles.size() : 0);
  // C34 to C36
  std::string problem;
  if (!mdhCheckRoles(LayerList(getMemory(), memoryRoles).get(), LayerList(getCores(), coreRoles).get(), appendText, &problem))
    return emitOpError() << problem;
  return success();
}

/// C27: the level and the part count of a step.
static LogicalResult verifyLevel(Operation *op, int64_t layer, int64_t dimension, int64_t parts) {
  int64_t rank = cast<MdaType>(op->getOperand(0).getType()).getExtents().size();
  if (layer < 1)
    return op->emitOpError("C27: requires a layer of at least 1, but it is ") << layer;
  if (dimension < 1 || dimension > rank)
    return op->emitOpError("C27: requires a dimension from 1 to ") << rank << ", but it is " << dimension;
  // S2
  if (parts < 1 && !ShapedType::isDynamic(parts))
    return op->emitOpError("S2: level (") << layer << ", " << dimension << ") has " << parts
                                          << " parts, but at least 1 is required";
  return success();
}

/// C28: a list holds attributes of one kind.
template <typename AttrT> static LogicalResult verifyList(Operation *op, ArrayAttr list, StringRef name, StringRef wanted) {
  if (list)
    for (Attribute attr : list)
      if (!isa<AttrT>(attr))
        return op->emitOpError("C28: requires ") << wanted << " in " << name << ", but has " << attr;
  return success();
}

LogicalResult DecomposeOp::verify() {
  return failure(failed(verifyDefinedBefore(*this)) ||
                 failed(verifyLevel(*this, getLayer(), getDimension(), getParts())) ||
                 failed(verifyList<PlacementAttr>(*this, getReadsAttr(), "reads", "placements")));
}

LogicalResult RecomposeOp::verify() {
  if (failed(verifyDefinedBefore(*this)) || failed(verifyLevel(*this, getLayer(), getDimension(), getParts())) ||
      failed(verifyList<PlacementAttr>(*this, getWritesAttr(), "writes", "placements")))
    return failure();
  // C29
  if (!isa<ConcatenationAttr, PointWiseAttr, PrefixSumAttr>(getCombine()))
    return emitOpError("C29: requires #mdh.cc, #mdh.pw or #mdh.ps as operator, but has ") << getCombine();
  auto input = cast<MdaType>(getMda().getType()), output = cast<MdaType>(getResult().getType());
  if (input.getScalars() != output.getScalars())
    return emitOpError("C29: requires a result with the components of its operand, but the types are ")
           << input << " and " << output;
  if (input.getExtents().size() != output.getExtents().size())
    return emitOpError("C29: requires a result with ")
           << input.getExtents().size() << " extents, but it has " << output.getExtents().size();
  int64_t dimension = getDimension();
  for (auto [d, before, after] : llvm::enumerate(input.getExtents(), output.getExtents())) {
    bool collapses = static_cast<int64_t>(d) == dimension - 1 && isa<PointWiseAttr>(getCombine());
    if (!collapses && before != after)
      return emitOpError("C29: requires extent ")
             << countText(before) << " of the result in dimension " << d + 1 << ", but it has " << countText(after);
  }
  return success();
}

LogicalResult RecomposeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyOperator(*this, getCombine(), getDimension() - 1, cast<MdaType>(getMda().getType()).getScalars(),
                        symbolTable);
}

LogicalResult ScalarOp::verify() {
  if (failed(verifyDefinedBefore(*this)) ||
      failed(verifyList<DenseI64ArrayAttr>(*this, getOrder(), "order", "rows of positions")) ||
      failed(verifyList<TagAttr>(*this, getTagsAttr(), "tags", "tags")) ||
      failed(verifyList<PlacementAttr>(*this, getReadsAttr(), "reads", "placements")) ||
      failed(verifyList<PlacementAttr>(*this, getWritesAttr(), "writes", "placements")))
    return failure();
  // C30
  auto input = cast<MdaType>(getMda().getType()), output = cast<MdaType>(getResult().getType());
  if (input.getExtents() != output.getExtents())
    return emitOpError("C30: requires a result with the extents of its operand, but the types are ")
           << input << " and " << output;
  if (output.getScalars().empty())
    return emitOpError("C30: requires at least one component of the result");
  // S1: the order is a permutation of the positions.
  if (getOrder().empty())
    return emitOpError("S1: requires an order with a row for each layer, but it is empty");
  int64_t rank = input.getExtents().size(), count = getOrder().size() * rank;
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [layer, row] : llvm::enumerate(getOrder().getAsRange<DenseI64ArrayAttr>())) {
    if (row.size() != rank)
      return emitOpError("S1: requires an order with a position for each of the ")
             << rank << " dimensions, but layer " << layer + 1 << " has " << row.size();
    for (int64_t position : row.asArrayRef())
      if (position < 1 || position > count || !seen.insert(position).second)
        return emitOpError("S1: requires an order that is a permutation of 1 to ")
               << count << ", but " << position << (seen.contains(position) ? " occurs twice" : " is not among them");
  }
  return success();
}

LogicalResult ScalarOp::verifyRegions() {
  return verifyScalarFunction(*this, getScalar(), cast<MdaType>(getMda().getType()).getScalars(),
                              cast<MdaType>(getResult().getType()).getScalars());
}

LogicalResult ScalarOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C31: a system that is not declared may be a built-in one, which mdh-check knows.
  Operation *found = symbolTable.lookupNearestSymbolFrom(*this, getSystemAttr());
  auto system = dyn_cast_or_null<SystemOp>(found);
  if (found && !system) {
    InFlightDiagnostic diagnostic = emitOpError("C31: requires an mdh.lowlevel.system, but ")
                                    << getSystemAttr() << " is " << found->getName();
    diagnostic.attachNote(found->getLoc()) << "the symbol is here";
    return diagnostic;
  }
  return verifyChains(*this, system, symbolTable);
}
