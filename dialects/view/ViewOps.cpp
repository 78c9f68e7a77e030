//===- ViewOps.cpp - assembly of MDA types and views --------------------------===//
#include "MdhDialect.h"
#include "view/Tiling.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mdh;

//===----------------------------------------------------------------------===//
// !mdh.mda
//===----------------------------------------------------------------------===//

Type MdaType::parse(AsmParser &parser) {
  SmallVector<int64_t> extents;
  SmallVector<Type> scalars;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(extents, /*allowDynamic=*/true,
                                /*withTrailingX=*/false))
    return {};
  if (extents.empty()) {
    parser.emitError(parser.getCurrentLocation(),
                     "C1: requires at least one extent, a natural number or ?");
    return {};
  }
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(scalars.emplace_back()))
      return {};
  if (parser.parseGreater())
    return {};
  return MdaType::getChecked([&] { return parser.emitError(loc); },
                             parser.getContext(), ArrayRef<int64_t>(extents),
                             ArrayRef<Type>(scalars));
}

void MdaType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getExtents());
  for (Type scalar : getScalars())
    printer << ", " << scalar;
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Buffers with their accesses: %M[#m0, #m1], %v[#m2]
//===----------------------------------------------------------------------===//

static ParseResult parseAccesses(OpAsmParser &parser, SmallVectorImpl<Attribute> &maps) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    AffineMapAttr map;
    if (parser.parseAttribute(map))
      return failure();
    maps.push_back(map);
    return success();
  });
}

static void printAccesses(OpAsmPrinter &printer, Attribute accesses) {
  auto list = dyn_cast<ArrayAttr>(accesses);
  if (!list) {
    printer << '[' << accesses << ']';
    return;
  }
  printer << '[';
  llvm::interleaveComma(list, printer, [&](Attribute map) { printer << map; });
  printer << ']';
}

ParseResult InpViewOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> buffers, extents;
  SmallVector<Attribute> accesses;
  SmallVector<Type> types;
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult first = parser.parseOptionalOperand(operand);
  while (first.has_value()) {
    SmallVector<Attribute> maps;
    if (failed(*first) || parseAccesses(parser, maps))
      return failure();
    buffers.push_back(operand);
    accesses.push_back(builder.getArrayAttr(maps));
    if (failed(parser.parseOptionalComma()))
      break;
    if (parser.parseOperand(operand))
      return failure();
    first = OptionalParseResult(success());
  }
  if (succeeded(parser.parseOptionalKeyword("extents")) &&
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren))
    return failure();
  Type mda;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren,
          [&] { return parser.parseType(types.emplace_back()); }) ||
      parser.parseArrow() || parser.parseType(mda) ||
      parser.resolveOperands(buffers, types, loc, result.operands) ||
      parser.resolveOperands(extents, builder.getIndexType(), result.operands))
    return failure();
  result.addTypes(mda);
  result.addAttribute(getAccessesAttrName(result.name), builder.getArrayAttr(accesses));
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(buffers.size()), static_cast<int32_t>(extents.size())};
  return success();
}

void InpViewOp::print(OpAsmPrinter &printer) {
  if (getNumOperands())
    printer << ' ';
  llvm::interleaveComma(llvm::zip(getBuffers(), getAccesses()), printer, [&](auto pair) {
    printer << std::get<0>(pair);
    printAccesses(printer, std::get<1>(pair));
  });
  if (!getExtents().empty())
    printer << (getBuffers().empty() ? "" : " ") << "extents(" << getExtents() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getAccessesAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : (" << getBuffers().getTypes() << ") -> " << getMda().getType();
}

ParseResult OutViewOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand mda;
  SmallVector<OpAsmParser::UnresolvedOperand> destinations;
  SmallVector<Attribute> accesses;
  SmallVector<Type> types, results;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(mda))
    return failure();
  auto buffer = [&]() -> ParseResult {
    SmallVector<Attribute> maps;
    if (parseAccesses(parser, maps))
      return failure();
    accesses.push_back(builder.getArrayAttr(maps));
    return success();
  };
  if (parser.parseCommaSeparatedList(buffer))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("into")) &&
      parser.parseOperandList(destinations))
    return failure();
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type) || parser.resolveOperand(mda, type, result.operands))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(types.emplace_back()))
      return failure();
  if (parser.resolveOperands(destinations, types, loc, result.operands) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseTypeList(results)))
    return failure();
  result.addTypes(results);
  result.addAttribute(getAccessesAttrName(result.name), builder.getArrayAttr(accesses));
  return success();
}

void OutViewOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getMda();
  llvm::interleaveComma(getAccesses(), printer,
                        [&](Attribute accesses) { printAccesses(printer, accesses); });
  if (!getDestinations().empty())
    printer << " into " << getDestinations();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getAccessesAttrName()});
  printer << " : " << getMda().getType();
  for (Type type : getDestinations().getTypes())
    printer << ", " << type;
  if (!getBuffers().empty())
    printer << " -> " << getBuffers().getTypes();
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

/// True if a chain of steps may read memrefs: one of the inp_views of its inputs and initial values has a memref, or an
/// MDA is not defined by a step.
static bool mayReadMemory(Value mda) {
  SmallVector<Value> work(1, mda);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!isa_and_nonnull<InpViewOp, MdHomOp, DecomposeOp, ScalarOp, RecomposeOp>(op))
      return true;
    for (Value operand : op->getOperands()) {
      if (isa<BaseMemRefType>(operand.getType()))
        return true;
      if (isa<MdaType>(operand.getType()))
        work.push_back(operand);
    }
  }
  return false;
}

void OutViewOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // MDAs are aliases: the memory of the inp_views is read here.
  if (mayReadMemory(getMda()))
    effects.emplace_back(MemoryEffects::Read::get());
  for (OpOperand &destination : getDestinationsMutable())
    if (isa<BaseMemRefType>(destination.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &destination);
  for (OpResult buffer : getOperation()->getResults())
    if (isa<BaseMemRefType>(buffer.getType())) {
      effects.emplace_back(MemoryEffects::Allocate::get(), buffer);
      effects.emplace_back(MemoryEffects::Write::get(), buffer);
    }
}

//===----------------------------------------------------------------------===//
// Extents and sizes
//===----------------------------------------------------------------------===//

InpViewOp OutViewOp::getInput() {
  Operation *op = getMda().getDefiningOp();
  while (isa_and_nonnull<MdHomOp, DecomposeOp, ScalarOp, RecomposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<InpViewOp>(op);
}

SmallVector<OpFoldResult> OutViewOp::getDomain(OpBuilder &b) {
  SmallVector<OpFoldResult> extents;
  InpViewOp view = getInput();
  if (!view)
    return extents;
  auto operand = view.getExtents().begin();
  for (auto [d, extent] : llvm::enumerate(cast<MdaType>(view.getMda().getType()).getExtents())) {
    auto [isFound, source, axis] = mdhAxisOf(wrap(Attribute(view.getAccesses())), d);
    Value buffer = isFound ? view.getBuffers()[source] : Value();
    extents.push_back(!ShapedType::isDynamic(extent)        ? b.getIndexAttr(extent)
                      : !isFound                            ? OpFoldResult(*operand++)
                      : isa<TensorType>(buffer.getType())   ? tensor::getMixedSize(b, getLoc(), buffer, axis)
                                                            : memref::getMixedSize(b, getLoc(), buffer, axis));
  }
  return extents;
}

std::pair<SmallVector<int64_t>, bool> OutViewOp::getDimensions(unsigned result) {
  SmallVector<int64_t> dimensions(cast<ShapedType>(getResult(result).getType()).getRank());
  bool areKnown = mdhResultDimensions(wrap(getOperation()), result, dimensions.data());
  return {dimensions, areKnown};
}

bool OutViewOp::hasKnownSizes() {
  auto isKnown = [&](OpResult result) {
    auto sizes = isa<TensorType>(result.getType()) ? cast<TensorType>(result.getType()).getShape() : ArrayRef<int64_t>();
    return llvm::all_of(llvm::zip(sizes, getDimensions(result.getResultNumber()).first),
                        [](auto pair) { return !ShapedType::isDynamic(std::get<0>(pair)) || std::get<1>(pair) >= 0; });
  };
  return !getDestinations().empty() || llvm::all_of(getOperation()->getResults(), isKnown);
}

LogicalResult OutViewOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  // A pattern that fails must not have created operations.
  if (!getInput() || !llvm::all_of(getResultTypes(), llvm::IsaPred<TensorType>) || !hasKnownSizes())
    return failure();
  SmallVector<OpFoldResult> domain = getDomain(b);
  for (auto [i, type] : llvm::enumerate(getResultTypes())) {
    shapes.push_back(getAsIndexOpFoldResult(b.getContext(), cast<TensorType>(type).getShape()));
    if (!getDestinations().empty())
      shapes.back() = tensor::getMixedSizes(b, getLoc(), getDestinations()[i]);
    for (auto [size, d] : llvm::zip(shapes.back(), getDimensions(i).first))
      if (isConstantIntValue(size, ShapedType::kDynamic))
        size = domain[d];
  }
  return success();
}
