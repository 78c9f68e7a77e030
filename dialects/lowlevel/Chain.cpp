//===- Chain.cpp - the rules of low-level expressions, S1 to S10 and S12 ----------===//
//
//   inp_view -> decompose* -> scalar -> recompose* -> out_view
//
// A step may still lack its tag and its placements: the rules are checked on what is there. That every step is there is
// checked where the expression reaches its views: passes may remove unused steps from the end.
//
//===----------------------------------------------------------------------===//
#include "lowlevel/Chain.h"

#include <map>

using namespace mlir;
using namespace mdh;

namespace {
/// A step of a phase at its level; layers and dimensions count from 1.
struct Step {
  Operation *op;
  int64_t layer, dimension, parts;
  TagAttr tag;
  ArrayAttr placements;
  Attribute combine;
};

using Level = std::pair<int64_t, int64_t>;

std::string name(Level level) { return "(" + std::to_string(level.first) + ", " + std::to_string(level.second) + ")"; }
std::string name(const Step &step) { return name(Level(step.layer, step.dimension)); }

std::string join(ArrayAttr names, size_t count) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (i < count)
      text += (i ? ", " : "") + name.str();
  return text;
}

/// One low-level expression.
class Chain {
public:
  Chain(ScalarOp scalar, SystemOp system) : scalar(scalar), system(system) {
    extents = cast<MdaType>(scalar.getMda().getType()).getExtents();
    rank = extents.size();
    layers = system ? system.getMemory().size() + system.getCores().size() : scalar.getOrder().size();
    Operation *op = scalar.getMda().getDefiningOp();
    for (; auto step = dyn_cast_or_null<DecomposeOp>(op); op = step.getMda().getDefiningOp())
      decompose.push_back({op, static_cast<int64_t>(step.getLayer()), static_cast<int64_t>(step.getDimension()),
                                           static_cast<int64_t>(step.getParts()), step.getTagAttr(), step.getReadsAttr(), {}});
    std::reverse(decompose.begin(), decompose.end());
    input = dyn_cast_or_null<InpViewOp>(op);
  }

  /// Checks the expressions that go on from a value of the re-composition phase.
  LogicalResult verifyFrom(Value mda, SymbolTableCollection &symbolTable) {
    // A phase with more steps than levels is wrong already.
    if (static_cast<int64_t>(recompose.size()) > layers * rank)
      return verify(symbolTable);
    bool used = false;
    for (Operation *user : mda.getUsers()) {
      auto step = dyn_cast<RecomposeOp>(user);
      output = dyn_cast<OutViewOp>(user);
      if (step) {
        recompose.push_back({user, static_cast<int64_t>(step.getLayer()), static_cast<int64_t>(step.getDimension()),
                             static_cast<int64_t>(step.getParts()), step.getTagAttr(), step.getWritesAttr(), step.getCombine()});
        if (failed(verifyFrom(step.getResult(), symbolTable)))
          return failure();
        recompose.pop_back();
        used = true;
      } else if (output) {
        if (failed(verify(symbolTable)))
          return failure();
        used = true;
      }
    }
    output = {};
    return used ? success() : verify(symbolTable);
  }

private:
  LogicalResult verify(SymbolTableCollection &symbolTable);
  LogicalResult verifyLevels(StringRef phase, ArrayRef<Step> steps, bool complete, Operation *end);
  LogicalResult verifyScalar();
  LogicalResult verifyParts();
  LogicalResult verifyCover(int64_t dimension);
  LogicalResult verifyTags(StringRef phase, ArrayRef<Step> steps);
  LogicalResult verifyLimits(StringRef phase, ArrayRef<Step> steps);
  LogicalResult verifyPlacements(Operation *op, const std::string &at, StringRef kind, ArrayAttr placements,
                                 std::optional<SmallVector<size_t>> ranks);
  LogicalResult verifyStored(Operation *op, const std::string &at, StringRef kind, size_t buffer, PlacementAttr placement);
  LogicalResult verifyRecompose();
  LogicalResult verifyCombining(const Step &step);
  std::optional<int64_t> countOf(const Step &step);
  std::optional<size_t> position(ArrayAttr names, StringRef name) {
    auto *found = llvm::find_if(names, [&](Attribute attr) { return cast<StringAttr>(attr).getValue() == name; });
    return found == names.end() ? std::nullopt : std::optional<size_t>(found - names.begin());
  }

  ScalarOp scalar;
  SystemOp system;
  InpViewOp input;
  OutViewOp output;
  ArrayRef<int64_t> extents;
  int64_t rank, layers;
  std::vector<Step> decompose, recompose;
  std::map<Level, const Step *> levels;
};
} // namespace

/// S1: every level exactly once.
LogicalResult Chain::verifyLevels(StringRef phase, ArrayRef<Step> steps, bool complete, Operation *end) {
  std::map<Level, Operation *> seen;
  for (const Step &step : steps) {
    if (step.layer > layers)
      return step.op->emitOpError("S1: the ") << phase << " phase has the level " << name(step) << ", but there are "
                                              << layers << " layers and " << rank << " dimensions";
    auto [at, first] = seen.insert({{step.layer, step.dimension}, step.op});
    if (!first) {
      InFlightDiagnostic diagnostic = step.op->emitOpError("S1: the ")
                                      << phase << " phase has the level " << name(step) << " twice";
      diagnostic.attachNote(at->second->getLoc()) << "the other step is here";
      return diagnostic;
    }
  }
  for (int64_t layer = 1; complete && layer <= layers; ++layer)
    for (int64_t dimension = 1; dimension <= rank; ++dimension)
      if (!seen.count({layer, dimension})) {
        InFlightDiagnostic diagnostic = scalar.emitOpError("S1: the ")
                                        << phase << " phase lacks the level " << name(Level(layer, dimension));
        diagnostic.attachNote(end->getLoc()) << "the phase ends at this view";
        return diagnostic;
      }
  return success();
}

/// S1: the scalar phase has the layers of the system. S3: it has a tag for each level.
LogicalResult Chain::verifyScalar() {
  size_t rows = scalar.getOrder().size();
  if (rows != static_cast<size_t>(layers)) {
    InFlightDiagnostic diagnostic = scalar.emitOpError("S1: requires an order with ")
                                    << layers << " rows, the layers of the system, but has " << rows;
    diagnostic.attachNote(system.getLoc()) << "the system is here";
    return diagnostic;
  }
  ArrayAttr tags = scalar.getTagsAttr();
  if (tags && tags.size() != rows * rank)
    return scalar.emitOpError("S3: requires a tag for each of the ") << rows * rank << " levels of the scalar phase, but has "
                                                                     << tags.size();
  return success();
}

/// The number of parts of a level on actual extents; none where it is known at run time only.
std::optional<int64_t> Chain::countOf(const Step &step) {
  if (!ShapedType::isDynamic(step.parts))
    return step.parts;
  __int128 outer = 1, inner = 1;
  for (const Step &other : decompose) {
    if (other.dimension != step.dimension || other.layer == step.layer)
      continue;
    if (ShapedType::isDynamic(other.parts))
      return std::nullopt;
    (other.layer < step.layer ? outer : inner) *= other.parts;
    if (outer > INT64_MAX || inner > INT64_MAX)
      return std::nullopt;
  }
  int64_t extent = extents[step.dimension - 1];
  if (ShapedType::isDynamic(extent))
    return std::nullopt;
  return llvm::divideCeil(llvm::divideCeil(static_cast<uint64_t>(extent), static_cast<uint64_t>(outer)),
                          static_cast<uint64_t>(inner));
}

/// S2: the phases agree on the part counts.
LogicalResult Chain::verifyParts() {
  levels.clear();
  for (const Step &step : decompose)
    levels[{step.layer, step.dimension}] = &step;
  for (const Step &step : recompose) {
    auto other = levels.find({step.layer, step.dimension});
    if (other == levels.end() || other->second->parts == step.parts)
      continue;
    InFlightDiagnostic diagnostic = step.op->emitOpError("S2: level ")
                                    << name(step) << " has " << countText(other->second->parts)
                                    << " parts in the de-composition, but " << countText(step.parts) << " in the re-composition";
    diagnostic.attachNote(other->second->op->getLoc()) << "the step of the de-composition is here";
    return diagnostic;
  }
  if (input)
    for (int64_t dimension = 1; dimension <= rank; ++dimension)
      if (failed(verifyCover(dimension)))
        return failure();
  return success();
}

/// S2: the parts cover the extent and none is always empty. S10: where `?` may and must stand.
LogicalResult Chain::verifyCover(int64_t dimension) {
  int64_t extent = extents[dimension - 1], dynamic = 0, product = 1;
  const Step *outermost = nullptr;
  for (int64_t layer = 1; layer <= layers; ++layer) {
    const Step *step = levels[{layer, dimension}];
    if (ShapedType::isDynamic(step->parts)) {
      ++dynamic;
      continue;
    }
    // Index arithmetic is in 64 bits, and partial tiles reach up to twice the extent.
    if (llvm::MulOverflow(product, step->parts, product) || product > (int64_t(1) << 62))
      return step->op->emitOpError("S2: the part counts of dimension ") << dimension << " multiply to more than 2^62";
    if (!outermost && step->parts != 1)
      outermost = step;
  }
  if (dynamic > 1)
    return scalar.emitOpError("S10: dimension ")
           << dimension << " has " << dynamic << " part counts that are ?, but at most one can follow from the extent";
  if (dynamic)
    return success();
  if (ShapedType::isDynamic(extent))
    return scalar.emitOpError("S10: dimension ")
           << dimension << " has a dynamic extent, so one of its part counts must be ?, but all are numbers";
  if (product < extent)
    return scalar.emitOpError("S2: the part counts of dimension ")
           << dimension << " multiply to " << product << ", but its extent is " << extent;
  const Step *step = outermost ? outermost : levels[{1, dimension}];
  int64_t size = product / step->parts;
  // Lanes are a property of the machine: parts that are points may be as many as a vector has that covers the extent.
  if (size == 1 && static_cast<uint64_t>(step->parts) == llvm::PowerOf2Ceil(static_cast<uint64_t>(extent)))
    return success();
  if (static_cast<__int128>(step->parts - 1) * size >= extent)
    return step->op->emitOpError("S2: level ")
           << name(*step) << " has " << step->parts << " parts of " << size << " points, but "
           << llvm::divideCeil(static_cast<uint64_t>(extent), static_cast<uint64_t>(size)) << " cover the extent " << extent
           << " of dimension " << dimension;
  return success();
}

/// S3: the tags are a bijection onto the levels of the system.
LogicalResult Chain::verifyTags(StringRef phase, ArrayRef<Step> steps) {
  std::map<std::pair<StringRef, int64_t>, const Step *> taken;
  for (const Step &step : steps) {
    if (!step.tag)
      continue;
    StringRef layer = step.tag.getLayer();
    int64_t dimension = step.tag.getDimension();
    if (!position(system.getMemory(), layer) && !position(system.getCores(), layer)) {
      InFlightDiagnostic diagnostic = step.op->emitOpError("S3: level ");
      diagnostic << name(step) << " of the " << phase << " phase is tagged with the layer " << layer << ", but the system @"
                 << system.getSymName() << " has the layers " << join(system.getMemory(), SIZE_MAX);
      if (!system.getCores().empty())
        diagnostic << ", " << join(system.getCores(), SIZE_MAX);
      diagnostic.attachNote(system.getLoc()) << "the system is here";
      return diagnostic;
    }
    if (dimension < 1 || dimension > rank)
      return step.op->emitOpError("S3: level ") << name(step) << " of the " << phase << " phase is tagged with the dimension "
                                                << dimension << ", but there are " << rank;
    auto [other, first] = taken.insert({{layer, dimension}, &step});
    if (!first) {
      InFlightDiagnostic diagnostic = step.op->emitOpError("S3: levels ")
                                      << name(*other->second) << " and " << name(step) << " of the " << phase
                                      << " phase have the same tag (" << layer << ", " << dimension << ")";
      if (other->second->op != step.op)
        diagnostic.attachNote(other->second->op->getLoc()) << "the other step is here";
      return diagnostic;
    }
  }
  return success();
}

/// S9: a core layer has no more parts than the system allows.
LogicalResult Chain::verifyLimits(StringRef phase, ArrayRef<Step> steps) {
  if (!system.getLimit())
    return success();
  for (auto [core, limit] : llvm::zip_equal(system.getCores().getAsValueRange<StringAttr>(), *system.getLimit())) {
    if (ShapedType::isDynamic(limit))
      continue;
    int64_t product = 1;
    for (const Step &step : steps) {
      if (!step.tag || step.tag.getLayer() != core)
        continue;
      std::optional<int64_t> count = countOf(step);
      if (!count)
        return step.op->emitOpError("S9: level ")
               << name(step) << " of the " << phase << " phase has ? parts of a dynamic extent on the core layer " << core
               << ", which allows " << limit;
      if (llvm::MulOverflow(product, std::max<int64_t>(*count, 1), product))
        product = INT64_MAX;
      if (product <= limit)
        continue;
      InFlightDiagnostic diagnostic = step.op->emitOpError("S9: the ")
                                      << phase << " phase has " << product << " parts on the core layer " << core
                                      << ", but the system @" << system.getSymName() << " allows " << limit;
      diagnostic.attachNote(system.getLoc()) << "the system is here";
      return diagnostic;
    }
  }
  return success();
}

/// S4: regions are memory layers. S5: layouts are permutations, in which dimensions of inputs may occur twice. S6: one placement a
/// buffer.
LogicalResult Chain::verifyPlacements(Operation *op, const std::string &at, StringRef kind, ArrayAttr placements,
                                      std::optional<SmallVector<size_t>> ranks) {
  if (!placements)
    return success();
  if (ranks && placements.size() != ranks->size())
    return op->emitOpError("S6: ") << at << " places " << placements.size() << " " << kind << " buffers, but there are "
                                   << ranks->size();
  for (auto [i, placement] : llvm::enumerate(placements.getAsRange<PlacementAttr>())) {
    StringRef region = placement.getRegion();
    if (system && !position(system.getMemory(), region)) {
      InFlightDiagnostic diagnostic = op->emitOpError("S4: ")
                                      << at << " places " << kind << " buffer " << i + 1 << " in " << region
                                      << ", but the memory layers of the system @" << system.getSymName() << " are "
                                      << join(system.getMemory(), SIZE_MAX);
      diagnostic.attachNote(system.getLoc()) << "the system is here";
      return diagnostic;
    }
    if (failed(verifyStored(op, at, kind, i + 1, placement)))
      return failure();
    SmallVector<int64_t> sorted(placement.getLayout());
    llvm::sort(sorted);
    bool twice = kind == "input";
    for (size_t d = 2; twice && d < sorted.size(); ++d)
      twice = sorted[d] != sorted[d - 2];
    if (twice)
      sorted.erase(llvm::unique(sorted), sorted.end());
    size_t wanted = ranks ? (*ranks)[i] : sorted.size();
    bool permutation = sorted.size() == wanted;
    for (size_t d = 0; permutation && d < wanted; ++d)
      permutation = sorted[d] == static_cast<int64_t>(d) + 1;
    if (permutation)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError("S5: ") << at << " gives " << kind << " buffer " << i + 1 << " the layout [";
    llvm::interleaveComma(placement.getLayout(), diagnostic);
    return diagnostic << "], but a permutation of 1 to " << wanted << " is required";
  }
  return success();
}

/// S12: how parts are stored.
LogicalResult Chain::verifyStored(Operation *op, const std::string &at, StringRef kind, size_t buffer,
                                  PlacementAttr placement) {
  if (!system || (placement.getPad() == 0 && placement.getBuffers() == 1))
    return success();
  auto error = [&]() -> InFlightDiagnostic {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << placement.getRegion() << '[';
    llvm::interleaveComma(placement.getLayout(), stream);
    stream << ']';
    if (placement.getPad() != 0)
      stream << " pad " << placement.getPad();
    if (placement.getBuffers() != 1)
      stream << " buffers " << placement.getBuffers();
    return op->emitOpError("S12: ") << at << " gives " << kind << " buffer " << buffer << " the placement " << text << ", but ";
  };
  if (kind != "input")
    return error() << "pad and buffers are for parts of inputs";
  ArrayAttr memory = system.getMemory();
  size_t cores = system.getCores().size();
  if (memory.size() != 3 || (cores != 2 && cores != 3)) {
    InFlightDiagnostic diagnostic = error() << "pad and buffers require a system with three memory layers and two or three core layers, and @"
                                            << system.getSymName() << " has " << memory.size() << " and " << cores;
    diagnostic.attachNote(system.getLoc()) << "the system is here";
    return diagnostic;
  }
  auto layer = [&](size_t i) { return cast<StringAttr>(memory[i]).getValue(); };
  std::optional<size_t> region = position(memory, placement.getRegion());
  if (region == 0)
    return error() << "pad and buffers require " << layer(1) << " or " << layer(2);
  if (placement.getBuffers() == 2 && region != 1)
    return error() << "buffers 2 requires " << layer(1);
  return success();
}

/// S8: results of several cores are combined only where all of them reach.
LogicalResult Chain::verifyCombining(const Step &step) {
  if (!step.tag || !step.placements || isa<ConcatenationAttr>(step.combine) || step.parts == 1)
    return success();
  std::optional<size_t> core = position(system.getCores(), step.tag.getLayer());
  if (!core)
    return success();
  size_t innermost = 0;
  if (system.getCombine())
    innermost = *position(system.getMemory(), cast<StringAttr>((*system.getCombine())[*core]).getValue());
  for (auto [i, placement] : llvm::enumerate(step.placements.getAsRange<PlacementAttr>())) {
    std::optional<size_t> region = position(system.getMemory(), placement.getRegion());
    if (!region || *region <= innermost)
      continue;
    InFlightDiagnostic diagnostic = step.op->emitOpError("S8: re-composition step ")
                                    << name(step) << " combines parts of the core layer " << step.tag.getLayer()
                                    << " of output buffer " << i + 1 << " in " << placement.getRegion() << ", but the system @"
                                    << system.getSymName() << " allows " << join(system.getMemory(), innermost + 1);
    diagnostic.attachNote(system.getLoc()) << "the system is here";
    return diagnostic;
  }
  return success();
}

/// C32: the steps of a dimension have one operator, and the extents are those that are left. S7: prefix sums stay in order.
LogicalResult Chain::verifyRecompose() {
  std::map<int64_t, const Step *> before;
  for (const Step &step : recompose) {
    auto [other, first] = before.insert({step.dimension, &step});
    if (first)
      continue;
    // The phase is carried out from its last step to its first, so `other` is inside of `step`.
    if (other->second->combine != step.combine) {
      InFlightDiagnostic diagnostic = step.op->emitOpError("C32: requires the operator ")
                                      << other->second->combine << " in all steps of dimension " << step.dimension
                                      << ", but has " << step.combine;
      diagnostic.attachNote(other->second->op->getLoc()) << "the other step is here";
      return diagnostic;
    }
    if (isa<PrefixSumAttr>(step.combine) && step.layer > other->second->layer) {
      InFlightDiagnostic diagnostic = step.op->emitOpError("S7: the re-composition phase has level ")
                                      << name(step) << " outside level " << name(*other->second)
                                      << ", but the layers of the prefix-sum dimension " << step.dimension
                                      << " must stay in order";
      diagnostic.attachNote(other->second->op->getLoc()) << "the other step is here";
      return diagnostic;
    }
    other->second = &step;
  }
  // C32: what is left of a point-wise dimension is one entry for each part of the levels to come.
  for (size_t i = 0; output && i < recompose.size(); ++i) {
    const Step &step = recompose[i];
    if (!isa<PointWiseAttr>(step.combine))
      continue;
    int64_t left = 1;
    for (const Step &other : ArrayRef(recompose).drop_front(i + 1))
      if (other.dimension == step.dimension && !ShapedType::isDynamic(left))
        left = ShapedType::isDynamic(other.parts) || llvm::MulOverflow(left, other.parts, left) ? ShapedType::kDynamic : left;
    int64_t actual = cast<MdaType>(step.op->getResult(0).getType()).getExtents()[step.dimension - 1];
    if (left != actual)
      return step.op->emitOpError("C32: requires extent ")
             << countText(left) << " of the result in dimension " << step.dimension
             << ", the number of parts that are still to be combined, but it has " << countText(actual);
  }
  return success();
}

static std::optional<SmallVector<size_t>> ranksOf(TypeRange types, bool known) {
  if (!known)
    return std::nullopt;
  return llvm::map_to_vector(types, [](Type type) { return static_cast<size_t>(cast<ShapedType>(type).getRank()); });
}

LogicalResult Chain::verify(SymbolTableCollection &symbolTable) {
  if (failed(verifyLevels("de-composition", decompose, bool(input), input)) || failed(verifyScalar()) ||
      failed(verifyLevels("re-composition", recompose, bool(output), output)) || failed(verifyParts()) ||
      failed(verifyRecompose()))
    return failure();
  // The order of the scalar phase does not matter to the rules of its tags.
  std::vector<Step> inner;
  if (ArrayAttr tags = scalar.getTagsAttr())
    for (auto [i, tag] : llvm::enumerate(tags.getAsRange<TagAttr>())) {
      Level level(i / rank + 1, i % rank + 1);
      auto known = levels.find(level);
      int64_t parts = known == levels.end() ? 1 : known->second->parts;
      inner.push_back({scalar, level.first, level.second, parts, tag, {}, {}});
    }
  for (auto [phase, steps] : {std::pair("de-composition", &decompose), {"scalar", &inner}, {"re-composition", &recompose}})
    if (system && (failed(verifyTags(phase, *steps)) || failed(verifyLimits(phase, *steps))))
      return failure();
  auto inputs = ranksOf(input ? TypeRange(input.getBuffers().getTypes()) : TypeRange(), bool(input));
  TypeRange outputTypes;
  if (output)
    outputTypes = output.getDestinations().empty() ? TypeRange(output.getBuffers().getTypes())
                                                   : TypeRange(output.getDestinations().getTypes());
  auto outputs = ranksOf(outputTypes, bool(output));
  for (const Step &step : decompose)
    if (failed(verifyPlacements(step.op, "de-composition step " + name(step), "input", step.placements, inputs)))
      return failure();
  if (failed(verifyPlacements(scalar, "the scalar phase", "input", scalar.getReadsAttr(), inputs)) ||
      failed(verifyPlacements(scalar, "the scalar phase", "output", scalar.getWritesAttr(), outputs)))
    return failure();
  for (const Step &step : recompose)
    if (failed(verifyPlacements(step.op, "re-composition step " + name(step), "output", step.placements, outputs)) ||
        (system && failed(verifyCombining(step))))
      return failure();
  if (!output)
    return success();
  SmallVector<Attribute> combine(rank, ConcatenationAttr::get(scalar.getContext()));
  for (const Step &step : recompose)
    combine[step.dimension - 1] = step.combine;
  return verifyHomomorphism(scalar, combine, extents, cast<MdaType>(scalar.getResult().getType()).getScalars(),
                            scalar.getHomomorphism(), symbolTable);
}

LogicalResult mdh::verifyChains(ScalarOp scalar, SystemOp system, SymbolTableCollection &symbolTable) {
  return Chain(scalar, system).verifyFrom(scalar.getResult(), symbolTable);
}
