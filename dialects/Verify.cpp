//===- Verify.cpp - what the rules of several operations share ------------------===//
#include "Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mdh;

static bool add(int64_t &to, int64_t value) { return !llvm::AddOverflow(to, value, to); }

static bool accumulate(AffineExpr expr, int64_t factor, Linear &linear) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t term;
    return !llvm::MulOverflow(factor, constant.getValue(), term) && add(linear.constant, term);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return add(linear.coefficients[dim.getPosition()], factor);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return accumulate(binary.getLHS(), factor, linear) && accumulate(binary.getRHS(), factor, linear);
  if (expr.getKind() != AffineExprKind::Mul)
    return false;
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  auto scale = dyn_cast<AffineConstantExpr>(left);
  if (!scale) {
    scale = dyn_cast<AffineConstantExpr>(right);
    right = left;
  }
  int64_t product;
  return scale && !llvm::MulOverflow(factor, scale.getValue(), product) &&
         accumulate(right, product, linear);
}

std::optional<Linear> mdh::linearize(AffineExpr expr, unsigned rank) {
  Linear linear;
  linear.coefficients.assign(rank, 0);
  if (!accumulate(expr, 1, linear))
    return std::nullopt;
  return linear;
}

std::optional<std::pair<int64_t, int64_t>> mdh::range(const Linear &linear, ArrayRef<int64_t> extents) {
  int64_t low = linear.constant, high = linear.constant;
  for (auto [coefficient, extent] : llvm::zip_equal(linear.coefficients, extents)) {
    if (coefficient == 0)
      continue;
    int64_t reach;
    if (ShapedType::isDynamic(extent) || extent == 0 || llvm::MulOverflow(coefficient, extent - 1, reach) ||
        !add(coefficient < 0 ? low : high, reach))
      return std::nullopt;
  }
  return std::make_pair(low, high);
}

bool mdh::isScalar(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isSignlessInteger() ||
         type.isIndex();
}

LogicalResult mdh::verifyDefinedBefore(Operation *op) {
  // C25
  Operation *definition = op->getOperand(0).getDefiningOp();
  if (!definition || definition->getBlock() != op->getBlock() || !op->getBlock() ||
      (definition != op && definition->isBeforeInBlock(op)))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("C25: requires an MDA that is defined before it is used");
  diagnostic.attachNote(definition->getLoc()) << "the MDA is defined here";
  return diagnostic;
}

std::string mdh::countText(int64_t count) { return ShapedType::isDynamic(count) ? "?" : std::to_string(count); }

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

/// C15: whether the reference evaluator has a meaning for an operation in a scalar function.
static bool isEvaluable(Operation *op) {
  if (isa<IndexOp, YieldOp>(op))
    return true;
  StringRef name = op->getName().getStringRef(), dialect = op->getName().getDialectNamespace();
  bool known = dialect == "arith" || dialect == "math" || name == "scf.if" || name == "scf.for" || name == "scf.while" ||
               name == "scf.yield" || name == "scf.condition" || name == "func.call";
  return known && llvm::all_of(op->getOperandTypes(), isScalar) && llvm::all_of(op->getResultTypes(), isScalar);
}

LogicalResult mdh::verifyScalarFunction(Operation *op, Region &region, ArrayRef<Type> inputs,
                                        ArrayRef<Type> outputs) {
  if (region.empty())
    return op->emitOpError("C13: requires a scalar function, but its region is empty");
  Block &block = region.front();
  // C13
  if (block.getNumArguments() != inputs.size())
    return op->emitOpError("C13: requires a scalar function of ")
           << inputs.size() << " arguments, one for each component of the MDA, but it has "
           << block.getNumArguments();
  for (auto [i, argument, type] : llvm::enumerate(block.getArguments(), inputs))
    if (argument.getType() != type)
      return op->emitOpError("C13: requires argument ")
             << i + 1 << " of the scalar function to have type " << type << ", the component of the MDA, but it has "
             << argument.getType();
  // C14
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("C14: requires a scalar function that ends in mdh.hom.yield");
  if (yield.getValues().size() != outputs.size()) {
    InFlightDiagnostic diagnostic = yield.emitOpError("C14: requires ")
                                    << outputs.size() << " values, one for each component of the result, but has "
                                    << yield.getValues().size();
    diagnostic.attachNote(op->getLoc()) << "the result is here";
    return diagnostic;
  }
  for (auto [i, value, type] : llvm::enumerate(yield.getValues(), outputs))
    if (value.getType() != type) {
      InFlightDiagnostic diagnostic = yield.emitOpError("C14: requires value ")
                                      << i + 1 << " to have type " << type << ", the component of the result, but it has "
                                      << value.getType();
      diagnostic.attachNote(op->getLoc()) << "the result is here";
      return diagnostic;
    }
  // C15
  WalkResult result = region.walk([&](Operation *inner) -> WalkResult {
    if (isEvaluable(inner))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = inner->emitOpError(
        "C15: requires an operation of arith or math, scf.if, scf.for, scf.while, func.call or mdh.hom.index, all on "
        "scalars, in a scalar function");
    diagnostic.attachNote(op->getLoc()) << "the scalar function is here";
    return WalkResult(diagnostic);
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Combine operators
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr mdh::symbolOf(Attribute combine) {
  if (auto pointWise = dyn_cast<PointWiseAttr>(combine))
    return pointWise.getSymbol();
  if (auto prefixSum = dyn_cast<PrefixSumAttr>(combine))
    return prefixSum.getSymbol();
  return {};
}

LogicalResult mdh::verifyOperator(Operation *op, Attribute combine, unsigned dimension, ArrayRef<Type> tuple,
                                  SymbolTableCollection &symbolTable) {
  if (isa<ConcatenationAttr>(combine))
    return success();
  auto pointWise = dyn_cast<PointWiseAttr>(combine);
  auto prefixSum = dyn_cast<PrefixSumAttr>(combine);
  if (FlatSymbolRefAttr symbol = symbolOf(combine)) {
    // C19
    Operation *found = symbolTable.lookupNearestSymbolFrom(op, symbol);
    auto user = dyn_cast_or_null<OperatorOp>(found);
    if (!user) {
      InFlightDiagnostic diagnostic = op->emitOpError("C19: requires an mdh.hom.operator ")
                                      << symbol << " for dimension " << dimension + 1;
      if (found)
        diagnostic.attachNote(found->getLoc()) << "the symbol is this " << found->getName();
      else
        diagnostic << ", but there is no such symbol";
      return diagnostic;
    }
    std::string tail;
    llvm::raw_string_ostream text(tail);
    if (user.getFunctionType().getResults() != tuple) {
      text << "an operator that yields (";
      llvm::interleaveComma(tuple, text);
      text << "), the tuple of the result, for dimension " << dimension + 1 << ", but " << symbol << " has type "
           << user.getFunctionType();
    } else if (pointWise && !user.getCommutative()) {
      text << "a commutative operator for the point-wise dimension " << dimension + 1 << ", but " << symbol
           << " is not declared commutative";
    } else {
      return success();
    }
    InFlightDiagnostic diagnostic = op->emitOpError("C19: requires ") << tail;
    diagnostic.attachNote(user.getLoc()) << "the operator is here";
    return diagnostic;
  }
  ArrayRef<Kind> kinds = pointWise ? pointWise.getKinds() : prefixSum.getKinds();
  bool list = pointWise ? pointWise.getList() : prefixSum.getList();
  // C18
  if (list && kinds.size() != tuple.size())
    return op->emitOpError("C18: requires a list of ")
           << tuple.size() << " functions, one for each component, for dimension " << dimension + 1 << ", but it has "
           << kinds.size();
  // C17
  for (auto [i, type] : llvm::enumerate(tuple)) {
    if (kinds.empty())
      break;
    Kind kind = kinds[list ? i : 0];
    bool bitwise = kind == Kind::And || kind == Kind::Or || kind == Kind::Xor;
    if (bitwise && isa<FloatType>(type))
      return op->emitOpError("C17: requires an integer type for the function ")
             << stringifyKind(kind) << " of dimension " << dimension + 1 << ", but component " << i + 1
             << " has type " << type;
  }
  return success();
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

LogicalResult mdh::verifyHomomorphism(Operation *op, ArrayRef<Attribute> combine, ArrayRef<int64_t> extents,
                                      ArrayRef<Type> tuple, bool declared, SymbolTableCollection &symbolTable) {
  std::optional<size_t> first;
  for (auto [d, attr] : llvm::enumerate(combine)) {
    if (isa<ConcatenationAttr>(attr))
      continue;
    OperatorOp user;
    if (FlatSymbolRefAttr symbol = symbolOf(attr))
      user = symbolTable.lookupNearestSymbolFrom<OperatorOp>(op, symbol);
    // C21
    if (isa<PointWiseAttr>(attr) && extents[d] == 0 && user && user.getIdentity().empty()) {
      InFlightDiagnostic diagnostic = op->emitOpError("C21: requires an identity for ")
                                      << symbolOf(attr) << ", because dimension " << d + 1 << " has extent 0";
      diagnostic.attachNote(user.getLoc()) << "the operator is here";
      return diagnostic;
    }
    if (!first) {
      first = d;
      continue;
    }
    // C20 (Lemma 10)
    if (declared)
      continue;
    if (!sameFunction(combine[*first], attr, tuple.size())) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("C20: requires one function for all dimensions that are not concatenated, but dimension ")
          << *first + 1 << " has " << combine[*first] << " and dimension " << d + 1 << " has " << attr;
      diagnostic.attachNote() << "if their order makes no difference, 'attributes {homomorphism}' behind the operators says so, or one "
                                 "mdh.hom.operator on tuples takes their place; if it does, each is a computation of its own";
      return diagnostic;
    }
    if (user && !user.getCommutative()) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("C20: requires a commutative function in dimensions ")
          << *first + 1 << " and " << d + 1 << ", because they are combined in any order, but " << symbolOf(attr)
          << " is not declared commutative";
      diagnostic.attachNote(user.getLoc()) << "the operator is here";
      return diagnostic;
    }
  }
  return success();
}
