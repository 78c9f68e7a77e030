//===- ViewVerify.cpp - the rules of MDAs and views, C1 to C10 ------------------===//
#include "Verify.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace mdh;

/// C1
LogicalResult MdaType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> extents,
                              ArrayRef<Type> scalars) {
  if (extents.empty())
    return emitError() << "C1: requires at least one extent";
  for (int64_t extent : extents)
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitError() << "C1: requires extents that are not negative, but one is " << extent;
  for (int64_t extent : extents)
    if (extent > maxExtent)
      return emitError() << "C1: requires extents of at most 2^62, but one is " << extent;
  for (Type scalar : scalars)
    if (!isScalar(scalar))
      return emitError() << "C1: requires f16, bf16, f32, f64, a signless integer or index as scalar type, but one is "
                         << scalar;
  return success();
}

/// A buffer of a view with the linear forms of its accesses.
struct Bracket {
  ShapedType type;
  SmallVector<SmallVector<Linear>> accesses;
};

/// C2: the accesses of every buffer, as linear forms.
static LogicalResult readAccesses(Operation *op, ArrayAttr accesses, TypeRange buffers, unsigned rank,
                                  StringRef kind, SmallVectorImpl<Bracket> &brackets) {
  if (accesses.size() != buffers.size())
    return op->emitOpError("C2: requires a bracket of accesses for each of the ")
           << buffers.size() << " buffers, but has " << accesses.size();
  for (auto [i, attr, type] : llvm::enumerate(accesses, buffers)) {
    auto shaped = cast<ShapedType>(type);
    Bracket bracket{shaped, {}};
    // C10
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
      return op->emitOpError("C10: requires tensors without an encoding, but ") << kind << " buffer " << i + 1 << " has type "
                                                                                 << type;
    auto maps = dyn_cast<ArrayAttr>(attr);
    if (!maps || maps.empty())
      return op->emitOpError("C2: requires at least one access to ") << kind << " buffer " << i + 1;
    for (Attribute mapAttr : maps) {
      auto attribute = dyn_cast<AffineMapAttr>(mapAttr);
      if (!attribute)
        return op->emitOpError("C2: requires affine maps as accesses to ")
               << kind << " buffer " << i + 1 << ", but one is " << mapAttr;
      AffineMap map = attribute.getValue();
      if (map.getNumSymbols())
        return op->emitOpError("C2: requires an index function without symbols for ")
               << kind << " buffer " << i + 1 << ", but it is " << attribute;
      if (map.getNumDims() != rank)
        return op->emitOpError("C2: requires an index function of ")
               << rank << " dimensions for " << kind << " buffer " << i + 1 << ", but it is " << attribute;
      if (map.getNumResults() != shaped.getRank())
        return op->emitOpError("C2: requires an index function with ")
               << shaped.getRank() << " results, the rank of " << kind << " buffer " << i + 1 << ", but it is " << attribute;
      SmallVector<Linear> access;
      for (AffineExpr expr : map.getResults()) {
        std::optional<Linear> linear = linearize(expr, rank);
        if (!linear)
          return op->emitOpError("C2: requires a linear index function for ")
                 << kind << " buffer " << i + 1 << ", but it is " << attribute;
        access.push_back(*linear);
      }
      bracket.accesses.push_back(access);
    }
    brackets.push_back(bracket);
  }
  return success();
}

/// C3, C4: the accesses take the components of the tuple in order.
static LogicalResult verifyTuple(Operation *op, ArrayRef<Bracket> brackets, ArrayRef<Type> scalars, StringRef kind) {
  size_t count = 0;
  for (const Bracket &bracket : brackets)
    count += bracket.accesses.size();
  if (count != scalars.size())
    return op->emitOpError("C3: requires one access for each component of the MDA, but there are ")
           << count << " accesses and " << scalars.size() << " components";
  size_t component = 0;
  for (auto [i, bracket] : llvm::enumerate(brackets))
    for (size_t j = 0; j < bracket.accesses.size(); ++j, ++component)
      if (bracket.type.getElementType() != scalars[component])
        return op->emitOpError("C4: requires component ")
               << component + 1 << " of the MDA to have the element type of " << kind << " buffer " << i + 1 << ", "
               << bracket.type.getElementType() << ", but it has " << scalars[component];
  return success();
}

/// C2: the passes add and subtract what an index function computes, so twice its largest value is a number of 64 bits.
static LogicalResult verifyValues(Operation *op, ArrayAttr accesses, ArrayRef<Bracket> brackets,
                                  ArrayRef<int64_t> extents, StringRef kind) {
  for (auto [i, bracket] : llvm::enumerate(brackets))
    for (auto [j, access] : llvm::enumerate(bracket.accesses))
      for (auto [d, linear] : llvm::enumerate(access)) {
        auto magnitude = [](int64_t value) { return value < 0 ? -static_cast<__int128>(value) : value; };
        __int128 sum = magnitude(linear.constant);
        for (auto [coefficient, extent] : llvm::zip_equal(linear.coefficients, extents)) {
          // Each coefficient counts at least once: the last index of an empty dimension is -1, and a dynamic extent, a
          // negative number here, is not known.
          sum += magnitude(coefficient) * (std::max<int64_t>(extent, 2) - 1);
          if (sum < maxExtent)
            continue;
          InFlightDiagnostic diagnostic = op->emitOpError("C2: requires an index function with values below 2^62 for ")
                                          << kind << " buffer " << i + 1 << ", but dimension " << d + 1 << " of "
                                          << cast<ArrayAttr>(accesses[i])[j] << " has larger ones on extents ";
          llvm::interleave(
              extents, [&](int64_t extent) { diagnostic << countText(extent); }, [&] { diagnostic << "x"; });
          return diagnostic;
        }
      }
  return success();
}

/// C6: no index function leaves its buffer, as far as the sizes are static.
static LogicalResult verifyBounds(Operation *op, ArrayRef<Bracket> brackets, ArrayRef<int64_t> extents,
                                  StringRef kind) {
  if (llvm::is_contained(extents, 0))
    return success();
  for (auto [i, bracket] : llvm::enumerate(brackets))
    for (const SmallVector<Linear> &access : bracket.accesses)
      for (auto [d, linear] : llvm::enumerate(access)) {
        std::optional<std::pair<int64_t, int64_t>> reached = range(linear, extents);
        int64_t size = bracket.type.getDimSize(d);
        bool inside = !reached || (reached->first >= 0 && (ShapedType::isDynamic(size) || reached->second < size));
        if (inside)
          continue;
        InFlightDiagnostic diagnostic = op->emitOpError("C6: requires accesses inside of ")
                                        << kind << " buffer " << i + 1 << ", but dimension " << d + 1 << " has indices 0 to ";
        if (ShapedType::isDynamic(size))
          diagnostic << "?";
        else
          diagnostic << size - 1;
        return diagnostic << " and is accessed at " << reached->first << " to " << reached->second;
      }
  return success();
}

LogicalResult InpViewOp::verify() {
  auto mda = cast<MdaType>(getMda().getType());
  SmallVector<Bracket> brackets;
  unsigned rank = mda.getExtents().size();
  if (failed(readAccesses(*this, getAccesses(), getBuffers().getTypes(), rank, "input", brackets)) ||
      failed(verifyTuple(*this, brackets, mda.getScalars(), "input")))
    return failure();
  // C5: an extent follows from the first buffer dimension that is indexed by its dimension alone.
  SmallVector<int64_t> extents(mda.getExtents());
  unsigned operands = 0;
  for (unsigned d = 0; d < rank; ++d) {
    if (!ShapedType::isDynamic(extents[d]))
      continue;
    bool follows = false;
    for (const Bracket &bracket : brackets)
      for (const SmallVector<Linear> &access : bracket.accesses)
        for (auto [axis, linear] : llvm::enumerate(access)) {
          SmallVector<int64_t> alone(rank, 0);
          alone[d] = 1;
          if (!follows && linear.constant == 0 && linear.coefficients == alone) {
            follows = true;
            extents[d] = bracket.type.getDimSize(axis);
          }
        }
    operands += !follows;
  }
  if (operands != getExtents().size())
    return emitOpError("C5: requires an extent operand for each of the ")
           << operands << " dynamic extents that do not follow from a buffer, but has " << getExtents().size();
  if (failed(verifyValues(*this, getAccesses(), brackets, extents, "input")))
    return failure();
  return verifyBounds(*this, brackets, extents, "input");
}

//===----------------------------------------------------------------------===//
// Injectivity
//===----------------------------------------------------------------------===//

/// The rank of a matrix modulo a large prime: at most its rank over the integers.
static size_t rankOf(SmallVector<SmallVector<int64_t>> matrix) {
  constexpr int64_t prime = (int64_t(1) << 61) - 1;
  auto mod = [](__int128 value) { return static_cast<int64_t>(((value % prime) + prime) % prime); };
  auto inverse = [&](int64_t value) {
    int64_t result = 1;
    for (int64_t exponent = prime - 2; exponent; exponent >>= 1) {
      if (exponent & 1)
        result = mod(static_cast<__int128>(result) * value);
      value = mod(static_cast<__int128>(value) * value);
    }
    return result;
  };
  size_t rank = 0, columns = matrix.empty() ? 0 : matrix[0].size();
  for (size_t column = 0; column < columns && rank < matrix.size(); ++column) {
    size_t pivot = rank;
    while (pivot < matrix.size() && mod(matrix[pivot][column]) == 0)
      ++pivot;
    if (pivot == matrix.size())
      continue;
    std::swap(matrix[pivot], matrix[rank]);
    int64_t scale = inverse(mod(matrix[rank][column]));
    for (size_t row = rank + 1; row < matrix.size(); ++row) {
      int64_t factor = mod(static_cast<__int128>(mod(matrix[row][column])) * scale);
      for (size_t i = column; i < columns; ++i)
        matrix[row][i] = mod(mod(matrix[row][i]) - static_cast<__int128>(factor) * mod(matrix[rank][i]));
    }
    ++rank;
  }
  return rank;
}

/// Whether one row tells all of its dimensions apart: each coefficient is larger than what the smaller ones reach.
static bool isMixedRadix(const Linear &row, ArrayRef<unsigned> dimensions, ArrayRef<int64_t> extents) {
  SmallVector<unsigned> order(dimensions);
  auto size = [&](unsigned d) { return std::abs(row.coefficients[d]); };
  llvm::sort(order, [&](unsigned a, unsigned b) { return size(a) < size(b); });
  int64_t reach = 0;
  for (unsigned d : order) {
    if (size(d) <= reach)
      return false;
    int64_t term;
    bool last = d == order.back();
    if (!last && (ShapedType::isDynamic(extents[d]) || llvm::MulOverflow(size(d), extents[d] - 1, term) ||
                  llvm::AddOverflow(reach, term, reach)))
      return false;
  }
  return true;
}

/// The points of a space, if they are few enough to look at each.
static std::optional<int64_t> fewPoints(ArrayRef<int64_t> extents) {
  int64_t points = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(points, extent, points) || points > (1 << 16))
      return std::nullopt;
  }
  return points;
}

/// Adds all elements that an access reaches; false where one is there already.
static bool enumerate(ArrayRef<Linear> access, ArrayRef<int64_t> extents, int64_t points,
                      std::set<std::vector<int64_t>> &reached) {
  for (int64_t point = 0; point < points; ++point) {
    std::vector<int64_t> element;
    for (const Linear &linear : access) {
      int64_t rest = point, index = linear.constant;
      for (auto [coefficient, extent] : llvm::zip_equal(linear.coefficients, extents)) {
        index += coefficient * (rest % extent);
        rest /= extent;
      }
      element.push_back(index);
    }
    if (!reached.insert(element).second)
      return false;
  }
  return true;
}

/// Whether different points reach different elements; nullopt where that could not be found out.
static std::optional<bool> isInjective(ArrayRef<Linear> access, ArrayRef<int64_t> extents) {
  SmallVector<unsigned> open;
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent != 1)
      open.push_back(d);
  SmallVector<SmallVector<int64_t>> matrix;
  for (const Linear &linear : access) {
    SmallVector<int64_t> row;
    for (unsigned d : open)
      row.push_back(linear.coefficients[d]);
    matrix.push_back(row);
  }
  if (rankOf(matrix) == open.size())
    return true;
  // Row after row: what one row tells apart is known in the others.
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    for (const Linear &linear : access) {
      SmallVector<unsigned> used;
      llvm::copy_if(open, std::back_inserter(used), [&](unsigned d) { return linear.coefficients[d] != 0; });
      if (used.empty() || !isMixedRadix(linear, used, extents))
        continue;
      llvm::erase_if(open, [&](unsigned d) { return llvm::is_contained(used, d); });
      progress = true;
    }
  }
  if (open.empty())
    return true;
  // A dimension that no row uses writes the same elements again and again.
  for (unsigned d : open)
    if (llvm::all_of(access, [&](const Linear &linear) { return linear.coefficients[d] == 0; }))
      return false;
  std::set<std::vector<int64_t>> reached;
  if (std::optional<int64_t> points = fewPoints(extents))
    return enumerate(access, extents, *points, reached);
  return std::nullopt;
}

/// Whether two accesses reach different elements; nullopt where that could not be found out.
static std::optional<bool> areDisjoint(ArrayRef<Linear> left, ArrayRef<Linear> right, ArrayRef<int64_t> extents) {
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    auto first = range(a, extents), second = range(b, extents);
    if (first && second && (first->second < second->first || second->second < first->first))
      return true;
    int64_t divisor = 0;
    for (auto [d, extent] : llvm::enumerate(extents))
      if (extent != 1)
        divisor = std::gcd(std::gcd(divisor, a.coefficients[d]), b.coefficients[d]);
    int64_t difference = a.constant - b.constant;
    if (divisor ? difference % divisor != 0 : difference != 0)
      return true;
  }
  std::optional<int64_t> points = fewPoints(extents);
  if (!points)
    return std::nullopt;
  std::set<std::vector<int64_t>> reached;
  enumerate(left, extents, *points, reached);
  return enumerate(right, extents, *points, reached);
}

LogicalResult OutViewOp::verify() {
  if (failed(verifyDefinedBefore(*this)))
    return failure();
  auto mda = cast<MdaType>(getMda().getType());
  ArrayRef<int64_t> extents = mda.getExtents();
  // C7
  size_t count = getAccesses().size(), destinations = getDestinations().size(), results = getBuffers().size();
  auto isMemref = [](Type type) { return isa<BaseMemRefType>(type); };
  if (destinations) {
    if (destinations != count)
      return emitOpError("C7: requires a destination for each of the ") << count << " brackets, but has " << destinations;
    bool memrefs = llvm::all_of(getDestinations().getTypes(), isMemref);
    if (!memrefs && llvm::any_of(getDestinations().getTypes(), isMemref))
      return emitOpError("C7: requires destinations that are all tensors or all memrefs");
    if (memrefs && results)
      return emitOpError("C7: requires no results where the destinations are memrefs, but has ") << results;
    if (!memrefs && getDestinations().getTypes() != getBuffers().getTypes())
      return emitOpError("C7: requires a result of the same type for each destination tensor");
  } else if (results != count) {
    return emitOpError("C7: requires a result for each of the ") << count << " brackets, but has " << results;
  }
  // C10
  for (auto [i, type] : llvm::enumerate(getBuffers().getTypes()))
    if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.getLayout().isIdentity())
      return emitOpError("C10: requires a row-major memref as result ") << i + 1 << ", but it has type " << type;
  TypeRange buffers = destinations ? TypeRange(getDestinations().getTypes()) : TypeRange(getBuffers().getTypes());
  SmallVector<Bracket> brackets;
  if (failed(readAccesses(*this, getAccesses(), buffers, extents.size(), "output", brackets)) ||
      failed(verifyTuple(*this, brackets, mda.getScalars(), "output")) ||
      failed(verifyValues(*this, getAccesses(), brackets, extents, "output")) ||
      failed(verifyBounds(*this, brackets, extents, "output")))
    return failure();
  if (llvm::is_contained(extents, 0))
    return success();
  for (auto [i, bracket] : llvm::enumerate(brackets)) {
    for (auto [j, access] : llvm::enumerate(bracket.accesses)) {
      // C8
      std::optional<bool> injective = isInjective(access, extents);
      if (!injective.value_or(false))
        return emitOpError("C8: requires an index function that reaches a different element of output buffer ")
               << i + 1 << " at each point, but access " << j + 1
               << (injective ? " reaches elements twice" : " could not be proven to do so");
      // C9
      for (size_t k = 0; k < j; ++k) {
        std::optional<bool> disjoint = areDisjoint(bracket.accesses[k], access, extents);
        if (!disjoint.value_or(false))
          return emitOpError("C9: requires accesses to different elements of output buffer ")
                 << i + 1 << ", but accesses " << k + 1 << " and " << j + 1
                 << (disjoint ? " overlap" : " could not be proven to be disjoint");
      }
    }
  }
  return success();
}
