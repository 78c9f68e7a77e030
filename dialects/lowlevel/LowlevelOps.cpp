//===- LowlevelOps.cpp - assembly of the abstract system model and the steps --===//
#include "lowlevel/Assembly.h"
#include "lowlevel/Roles.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mdh;

/// A part count or a limit: a number, or `?`.
static ParseResult parseParts(OpAsmParser &parser, IntegerAttr &parts) {
  int64_t value = ShapedType::kDynamic;
  if (failed(parser.parseOptionalQuestion()) && parser.parseInteger(value))
    return failure();
  parts = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printParts(OpAsmPrinter &printer, int64_t parts) {
  if (ShapedType::isDynamic(parts))
    printer << '?';
  else
    printer << parts;
}

ParseResult mdh::parseCounts(OpAsmParser &parser, DenseI64ArrayAttr &counts) {
  SmallVector<int64_t> list;
  auto element = [&]() -> ParseResult {
    IntegerAttr count;
    if (parseParts(parser, count))
      return failure();
    list.push_back(count.getInt());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  counts = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

void mdh::printCounts(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr counts) {
  printer << '[';
  llvm::interleaveComma(counts.asArrayRef(), printer, [&](int64_t count) { printParts(printer, count); });
  printer << ']';
}

ParseResult mdh::parseKeyword(OpAsmParser &parser, StringAttr &word) {
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}

void mdh::printKeyword(OpAsmPrinter &printer, Operation *, StringAttr word) { printer.printKeywordOrString(word); }

/// The loops inside or outside of the given numbers of parts, and one more loop.
LogicalResult TileOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor tile(operands, attributes, properties, regions);
  types.assign(tile.getParts().size() + 1, LoopType::get(context));
  return success();
}

/// Parses an optional keyword, followed by a number from 1 to `most`.
static ParseResult parseSuffix(AsmParser &parser, StringRef keyword,
                               int64_t most, int64_t &number) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  if (number < 1 || number > most)
    return parser.emitError(loc, "expected a number from 1 to ")
           << most << " after '" << keyword << "', got " << number;
  return success();
}

/// Parses `HM[1, 2]` or `SM[2, 1] pad 1 buffers 2`.
static PlacementAttr parsePlacement(AsmParser &parser) {
  std::string region;
  SmallVector<int64_t> layout;
  int64_t pad = 0, buffers = 1;
  if (parser.parseKeywordOrString(&region) ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(layout.emplace_back()); }) ||
      parseSuffix(parser, "pad", 64, pad) ||
      parseSuffix(parser, "buffers", 2, buffers))
    return {};
  return PlacementAttr::get(parser.getContext(), region, layout, pad, buffers);
}

static void printPlacement(AsmPrinter &printer, PlacementAttr placement) {
  printer.printKeywordOrString(placement.getRegion());
  printer << '[';
  llvm::interleaveComma(placement.getLayout(), printer);
  printer << ']';
  if (placement.getPad() != 0)
    printer << " pad " << placement.getPad();
  if (placement.getBuffers() != 1)
    printer << " buffers " << placement.getBuffers();
}

ParseResult mdh::parsePlacements(OpAsmParser &parser, ArrayAttr &placements) {
  SmallVector<Attribute> list;
  auto element = [&]() -> ParseResult {
    list.push_back(parsePlacement(parser));
    return success(list.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  placements = parser.getBuilder().getArrayAttr(list);
  return success();
}

void mdh::printPlacements(OpAsmPrinter &printer, Operation *,
                          ArrayAttr placements) {
  printer << '[';
  llvm::interleaveComma(placements, printer, [&](Attribute attr) {
    if (auto placement = dyn_cast<PlacementAttr>(attr))
      printPlacement(printer, placement);
    else
      printer << attr;
  });
  printer << ']';
}

ParseResult mdh::parseOrder(OpAsmParser &parser, ArrayAttr &order) {
  SmallVector<Attribute> rows;
  auto row = [&]() -> ParseResult {
    SmallVector<int64_t> positions;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(positions.emplace_back());
        }))
      return failure();
    rows.push_back(parser.getBuilder().getDenseI64ArrayAttr(positions));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, row))
    return failure();
  order = parser.getBuilder().getArrayAttr(rows);
  return success();
}

void mdh::printOrder(OpAsmPrinter &printer, Operation *, ArrayAttr order) {
  printer << '[';
  llvm::interleaveComma(order, printer, [&](Attribute attr) {
    if (auto row = dyn_cast<DenseI64ArrayAttr>(attr)) {
      printer << '[';
      llvm::interleaveComma(row.asArrayRef(), printer);
      printer << ']';
    } else {
      printer << attr;
    }
  });
  printer << ']';
}

Attribute TagAttr::parse(AsmParser &parser, Type type) {
  std::string layer;
  int64_t dimension = 0;
  StringRef axis;
  if (parser.parseLess() || parser.parseKeywordOrString(&layer) ||
      parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword(&axis, {"x", "y", "z"})))
    dimension = axis[0] - 'x' + 1;
  else if (parser.parseInteger(dimension))
    return {};
  if (parser.parseGreater())
    return {};
  return TagAttr::get(parser.getContext(), layer, dimension, type);
}

void TagAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printKeywordOrString(getLayer());
  printer << ", ";
  if (1 <= getDimension() && getDimension() <= 3)
    printer << static_cast<char>('x' + getDimension() - 1);
  else
    printer << getDimension();
  printer << '>';
}

Attribute PlacementAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  PlacementAttr placement = parsePlacement(parser);
  return placement && succeeded(parser.parseGreater()) ? placement : PlacementAttr();
}

void PlacementAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printPlacement(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// The steps of the de-composition and the re-composition phase
//===----------------------------------------------------------------------===//

/// Parses `level(1, 2) parts 4 tag #mdh.tag<HM, y> reads [HM[1, 2]] : type`.
template <typename OpT>
static ParseResult parseStep(OpAsmParser &parser, OperationState &result, StringAttr placementsName, StringRef keyword,
                             Type &mda) {
  Builder &builder = parser.getBuilder();
  int64_t layer, dimension;
  IntegerAttr parts;
  if (parser.parseKeyword("level") || parser.parseLParen() || parser.parseInteger(layer) || parser.parseComma() ||
      parser.parseInteger(dimension) || parser.parseRParen() || parser.parseKeyword("parts") || parseParts(parser, parts))
    return failure();
  result.addAttribute(OpT::getLayerAttrName(result.name), builder.getI64IntegerAttr(layer));
  result.addAttribute(OpT::getDimensionAttrName(result.name), builder.getI64IntegerAttr(dimension));
  result.addAttribute(OpT::getPartsAttrName(result.name), parts);
  if (succeeded(parser.parseOptionalKeyword("tag"))) {
    TagAttr tag;
    if (parser.parseAttribute(tag))
      return failure();
    // MLIR's parser takes a colon after an attribute as the start of the attribute's type; here it starts the type of
    // the step.
    mda = tag.getTrailing();
    result.addAttribute(OpT::getTagAttrName(result.name),
                        TagAttr::get(parser.getContext(), tag.getLayer(), tag.getDimension()));
    if (mda)
      return success();
  }
  if (succeeded(parser.parseOptionalKeyword(keyword))) {
    ArrayAttr placements;
    if (parsePlacements(parser, placements))
      return failure();
    result.addAttribute(placementsName, placements);
  }
  return failure(parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(mda));
}

template <typename OpT>
static void printStep(OpAsmPrinter &printer, OpT op, ArrayAttr placements, StringAttr placementsName, StringRef keyword,
                      StringRef combineName) {
  printer << " level(" << op.getLayer() << ", " << op.getDimension() << ") parts ";
  printParts(printer, op.getParts());
  if (TagAttr tag = op.getTagAttr())
    printer << " tag " << tag;
  if (placements) {
    printer << ' ' << keyword << ' ';
    printPlacements(printer, op, placements);
  }
  printer.printOptionalAttrDict(op->getAttrs(), {op.getLayerAttrName(), op.getDimensionAttrName(), op.getPartsAttrName(),
                                                 op.getTagAttrName(), placementsName, combineName});
  printer << " : " << op.getMda().getType();
}

ParseResult DecomposeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand mda;
  Type type;
  if (parser.parseOperand(mda) || parseStep<DecomposeOp>(parser, result, getReadsAttrName(result.name), "reads", type) ||
      parser.resolveOperand(mda, type, result.operands))
    return failure();
  result.addTypes(type);
  return success();
}

void DecomposeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getMda();
  printStep(printer, *this, getReadsAttr(), getReadsAttrName(), "reads", "");
}

ParseResult RecomposeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand mda;
  Attribute combine;
  Type type, after;
  if (parser.parseOperand(mda) || parser.parseKeyword("combine") ||
      parser.parseAttribute(combine, getCombineAttrName(result.name), result.attributes) ||
      parseStep<RecomposeOp>(parser, result, getWritesAttrName(result.name), "writes", type) || parser.parseArrow() ||
      parser.parseType(after) || parser.resolveOperand(mda, type, result.operands))
    return failure();
  result.addTypes(after);
  return success();
}

void RecomposeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getMda() << " combine " << getCombine();
  printStep(printer, *this, getWritesAttr(), getWritesAttrName(), "writes", getCombineAttrName());
  printer << " -> " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// mdh.lowlevel.system
//===----------------------------------------------------------------------===//

/// Parses `[DM, SM]` as strings; `parseRest` parses the optional text after each of them.
static ParseResult parseNames(
    OpAsmParser &parser, ArrayAttr &names, function_ref<ParseResult()> parseRest = [] { return ParseResult::success(); }) {
  SmallVector<Attribute> list;
  auto element = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    list.push_back(parser.getBuilder().getStringAttr(name));
    return parseRest();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  names = parser.getBuilder().getArrayAttr(list);
  return success();
}

/// Parses `[DM: global, SM: shared]`: layers, and their roles if given.
template <typename RoleAttrT, typename RoleT = typename RoleAttrT::ValueType>
static ParseResult parseLayers(OpAsmParser &parser, RoleT last, ArrayAttr &layers, SmallVectorImpl<Attribute> &roles) {
  return parseNames(parser, layers, [&]() -> ParseResult {
    if (parser.parseOptionalColon())
      return success();
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<RoleT> role = symbolizeEnum<RoleT>(keyword);
    if (!role) {
      InFlightDiagnostic error = parser.emitError(loc, "expected a role, one of ");
      for (uint32_t i = 0; i <= static_cast<uint32_t>(last); ++i)
        error << (i == 0 ? "" : ", ") << stringifyEnum(static_cast<RoleT>(i));
      return error << ", got '" << keyword << "'";
    }
    roles.push_back(RoleAttrT::get(parser.getContext(), *role));
    return success();
  });
}

template <typename RoleAttrT>
static void printLayers(OpAsmPrinter &printer, ArrayAttr layers, ArrayAttr roles) {
  printer << '[';
  for (auto [i, name] : llvm::enumerate(layers.getAsValueRange<StringAttr>())) {
    printer << (i == 0 ? "" : ", ");
    printer.printKeywordOrString(name);
    if (roles && i < roles.size())
      printer << ": " << stringifyEnum(cast<RoleAttrT>(roles[i]).getValue());
  }
  printer << ']';
}

/// Adds the roles of a system of version 1, which has none, with a warning.
static void addRolesOfVersion1(OpAsmParser &parser, SMLoc loc, StringAttr name, ArrayAttr memory, ArrayAttr cores,
                               SmallVectorImpl<Attribute> &memoryRoles, SmallVectorImpl<Attribute> &coreRoles) {
  LayerList memoryList(memory), coreList(cores);
  std::string text;
  mdhRolesOfVersion1(wrap(name.getValue()), memoryList.get(), coreList.get(), appendText, &text);
  for (int32_t role : memoryList.roles)
    memoryRoles.push_back(MemoryRoleAttr::get(parser.getContext(), static_cast<MemoryRole>(role)));
  for (int32_t role : coreList.roles)
    coreRoles.push_back(CoreRoleAttr::get(parser.getContext(), static_cast<CoreRole>(role)));
  emitWarning(parser.getEncodedSourceLoc(loc)) << "the layers of @" << name.getValue() << " have no roles: they are " << text;
}

ParseResult SystemOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  ArrayAttr memory, cores, combine;
  SmallVector<Attribute> memoryRoles, coreRoles;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) || parser.parseKeyword("memory") ||
      parseLayers<MemoryRoleAttr>(parser, MemoryRole::Registers, memory, memoryRoles) || parser.parseKeyword("cores") ||
      parseLayers<CoreRoleAttr>(parser, CoreRole::Matrix, cores, coreRoles))
    return failure();
  if (memoryRoles.empty() && coreRoles.empty())
    addRolesOfVersion1(parser, loc, name, memory, cores, memoryRoles, coreRoles);
  if (memoryRoles.size() != memory.size() || coreRoles.size() != cores.size())
    return parser.emitError(loc, "expected a role for each layer, such as ")
           << (memoryRoles.size() != memory.size() ? "DM: global" : "COR: threads");
  result.addAttribute(getMemoryAttrName(result.name), memory);
  result.addAttribute(getCoresAttrName(result.name), cores);
  result.addAttribute(getMemoryRolesAttrName(result.name), parser.getBuilder().getArrayAttr(memoryRoles));
  result.addAttribute(getCoreRolesAttrName(result.name), parser.getBuilder().getArrayAttr(coreRoles));
  if (succeeded(parser.parseOptionalKeyword("combine"))) {
    if (parseNames(parser, combine))
      return failure();
    result.addAttribute(getCombineAttrName(result.name), combine);
  }
  if (succeeded(parser.parseOptionalKeyword("limit"))) {
    DenseI64ArrayAttr limits;
    if (parseCounts(parser, limits))
      return failure();
    result.addAttribute(getLimitAttrName(result.name), limits);
  }
  return parser.parseOptionalAttrDict(result.attributes);
}

void SystemOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " memory ";
  printLayers<MemoryRoleAttr>(printer, getMemory(), getMemoryRolesAttr());
  printer << " cores ";
  printLayers<CoreRoleAttr>(printer, getCores(), getCoreRolesAttr());
  if (auto combine = getCombineAttr()) {
    printer << " combine ";
    printLayers<MemoryRoleAttr>(printer, combine, {});
  }
  if (auto limit = getLimitAttr()) {
    printer << " limit ";
    printCounts(printer, *this, limit);
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getMemoryAttrName(), getCoresAttrName(), getMemoryRolesAttrName(), getCoreRolesAttrName(),
       getCombineAttrName(), getLimitAttrName()});
}
