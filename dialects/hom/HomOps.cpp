//===- HomOps.cpp - assembly of homomorphisms and combine operators -----------===//
#include "MdhDialect.h"
#include "lowlevel/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mdh;

//===----------------------------------------------------------------------===//
// #mdh.pw, #mdh.ps
//===----------------------------------------------------------------------===//

template <typename AttrT> static Attribute parseFunction(AsmParser &parser) {
  SmallVector<Kind> kinds;
  FlatSymbolRefAttr symbol;
  bool list = false;
  auto kind = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    auto all = llvm::map_to_vector(
        llvm::seq(getMaxEnumValForKind() + 1),
        [](unsigned kind) { return stringifyKind(Kind(kind)); });
    // Editors complete the names that are passed.
    if (failed(parser.parseOptionalKeyword(&name, all))) {
      if (parser.parseKeyword(&name))
        return failure();
      InFlightDiagnostic error = parser.emitError(loc) << "expects ";
      llvm::interleaveComma(all, error);
      return error << " or a symbol, got '" << name << "'";
    }
    kinds.push_back(*symbolizeKind(name));
    return success();
  };
  if (parser.parseLess())
    return {};
  StringAttr name;
  if (succeeded(parser.parseOptionalLSquare())) {
    list = true;
    if (parser.parseCommaSeparatedList(kind) || parser.parseRSquare())
      return {};
  } else if (succeeded(parser.parseOptionalSymbolName(name))) {
    symbol = FlatSymbolRefAttr::get(name);
  } else if (kind()) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return AttrT::get(parser.getContext(), kinds, list, symbol);
}

template <typename AttrT>
static void printFunction(AsmPrinter &printer, AttrT attr) {
  printer << '<';
  if (attr.getSymbol()) {
    printer << attr.getSymbol();
  } else {
    if (attr.getList())
      printer << '[';
    llvm::interleaveComma(attr.getKinds(), printer, [&](Kind kind) {
      printer << stringifyKind(kind);
    });
    if (attr.getList())
      printer << ']';
  }
  printer << '>';
}

Attribute PointWiseAttr::parse(AsmParser &parser, Type) {
  return parseFunction<PointWiseAttr>(parser);
}
void PointWiseAttr::print(AsmPrinter &printer) const {
  printFunction(printer, *this);
}
Attribute PrefixSumAttr::parse(AsmParser &parser, Type) {
  return parseFunction<PrefixSumAttr>(parser);
}
void PrefixSumAttr::print(AsmPrinter &printer) const {
  printFunction(printer, *this);
}

//===----------------------------------------------------------------------===//
// mdh.hom.md_hom
//===----------------------------------------------------------------------===//

ParseResult mdh::parseCombineOperators(OpAsmParser &parser, ArrayAttr &combine) {
  // The list may be an attribute alias.
  if (failed(parser.parseOptionalLSquare()))
    return parser.parseAttribute(combine);
  SmallVector<Attribute> operators;
  auto one = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc) << "requires #mdh.cc, #mdh.pw<...> or #mdh.ps<...>, each with its '#', but has '" << name << "'";
    return parser.parseAttribute(operators.emplace_back());
  };
  if (failed(parser.parseOptionalRSquare()) && (parser.parseCommaSeparatedList(one) || parser.parseRSquare()))
    return failure();
  combine = parser.getBuilder().getArrayAttr(operators);
  return success();
}

void mdh::printCombineOperators(OpAsmPrinter &printer, Operation *, ArrayAttr combine) {
  printer.printAttribute(combine);
}

//===----------------------------------------------------------------------===//
// mdh.hom.operator
//===----------------------------------------------------------------------===//

ParseResult OperatorOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("commutative")))
    result.addAttribute(getCommutativeAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren,
          [&] { return parser.parseType(results.emplace_back()); }) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> inputs;
  for (const OpAsmParser::Argument &argument : arguments)
    inputs.push_back(argument.type);
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(parser.getBuilder().getFunctionType(inputs, results)));
  Region *body = result.addRegion();
  Region *identity = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("identity")))
    return parser.parseRegion(*identity);
  return success();
}

void OperatorOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getCommutative())
    printer << " commutative";
  printer << " (";
  if (!getBody().empty())
    llvm::interleaveComma(getBody().getArguments(), printer,
                          [&](BlockArgument argument) {
                            printer.printRegionArgument(argument);
                          });
  printer << ") -> (";
  llvm::interleaveComma(getFunctionType().getResults(), printer);
  printer << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getCommutativeAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (!getIdentity().empty()) {
    printer << " identity ";
    printer.printRegion(getIdentity());
  }
}

//===----------------------------------------------------------------------===//
// mdh.compute
//===----------------------------------------------------------------------===//

ParseResult ComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  DictionaryAttr computation, types;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> inputs, outputs;
  if (parser.parseAttribute(name, getNameAttrName(result.name), result.attributes) ||
      parser.parseAttribute(computation, getComputationAttrName(result.name), result.attributes) ||
      parser.parseAttribute(types, getTypesAttrName(result.name), result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren,
          [&] { return parser.parseType(inputs.emplace_back()); }) ||
      parser.parseArrowTypeList(outputs) ||
      parser.resolveOperands(operands, inputs, loc, result.operands))
    return failure();
  result.addTypes(outputs);
  return success();
}

void ComputeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr() << ' ' << getComputation() << ' ' << getTypes()
          << " (" << getInputs() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getNameAttrName(), getComputationAttrName(),
                                 getTypesAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
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
