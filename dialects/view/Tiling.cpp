//===- Tiling.cpp - tiles of computations, for upstream's tiling and fusion ---===//
//
// `tile.rs` finds the blocks of buffers that a tile reaches, and this file builds the operations.
//
// out_view has no DestinationStyleOpInterface: an interface belongs to all operations of a name and requires a
// destination for each result, but an out_view of new tensors has none. So upstream's loops begin with new tensors.
//
//===----------------------------------------------------------------------===//
#include "view/Tiling.h"
#include "MdhDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mdh;

using Values = SmallVector<OpFoldResult>;

namespace {
/// A tile of an iteration space; constants are attributes. A dimension is partial if it may be less than the extent.
struct Tile {
  Values offsets, sizes;
  SmallVector<bool> isPartial;
};

/// The block of a buffer that a tile reaches, and the index functions in it; without offsets, the whole buffer.
struct BufferBlock {
  size_t buffer;
  Attribute accesses;
  Values offsets, sizes;
};
} // namespace

/// Whole dimensions begin at 0, also if a loop with one iteration is around them.
static Tile tileOf(OpBuilder &b, OutViewOp view, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  auto folded = [&](OpFoldResult x) { return getConstantIntValue(x) ? b.getIndexAttr(*getConstantIntValue(x)) : x; };
  Tile tile;
  for (auto [extent, offset, size] : llvm::zip(view.getDomain(b), offsets, sizes)) {
    FailureOr<bool> isWhole = ValueBoundsConstraintSet::areEqual(size, extent);
    bool isPartial = !isConstantIntValue(extent, 1) && (failed(isWhole) || !*isWhole);
    tile.isPartial.push_back(isPartial);
    tile.offsets.push_back(isPartial ? folded(offset) : b.getIndexAttr(0));
    tile.sizes.push_back(folded(isPartial ? size : extent));
  }
  return tile;
}

/// The type of the part of an MDA in a tile. Results and initial values have extent 1 in some dimensions.
static MdaType typeOf(Value mda, const Tile &tile) {
  auto type = cast<MdaType>(mda.getType());
  SmallVector<int64_t> extents;
  for (auto [extent, size] : llvm::zip(type.getExtents(), tile.sizes))
    extents.push_back(extent == 1 ? 1 : getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return MdaType::get(mda.getContext(), extents, type.getScalars());
}

/// The blocks of a view with this MDA.
static FailureOr<SmallVector<BufferBlock>> blocksOf(OpBuilder &b, Operation *view, Value mda, const Tile &tile,
                                                    function_ref<InFlightDiagnostic()> report) {
  ArrayRef<int64_t> sizes = typeOf(mda, tile).getExtents();
  Attribute found = unwrap(mdhTileBlocks(wrap(view), {sizes.size(), sizes.data(), tile.isPartial.data()}));
  if (auto obstacle = dyn_cast<StringAttr>(found))
    return report() << obstacle.getValue();
  auto operands = llvm::to_vector(llvm::concat<const OpFoldResult>(tile.offsets, tile.sizes));
  auto apply = [&](Attribute attribute) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    return affine::makeComposedFoldedMultiResultAffineApply(b, view->getLoc(), map, operands);
  };
  return llvm::map_to_vector(cast<ArrayAttr>(found).getAsRange<ArrayAttr>(), [&](ArrayAttr block) {
    size_t buffer = cast<IntegerAttr>(block[0]).getInt();
    return BufferBlock{buffer, block[1], apply(block[2]), apply(block[3])};
  });
}

/// Adds the offsets of a tile to the indices in a scalar function.
static void shiftIndices(OpBuilder &b, MdHomOp hom, const Tile &tile) {
  OpBuilder::InsertionGuard guard(b);
  hom.walk([&](IndexOp index) {
    if (!tile.isPartial[index.getDimension()])
      return;
    b.setInsertionPoint(hom);
    Value offset = getValueOrCreateConstantIndexOp(b, index.getLoc(), tile.offsets[index.getDimension()]);
    b.setInsertionPointAfter(index);
    Value sum = arith::AddIOp::create(b, index.getLoc(), index, offset);
    index.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
  });
}

/// The homomorphism of a tile.
static FailureOr<MdHomOp> homOf(OpBuilder &b, MdHomOp hom, const Tile &tile, SmallVector<Operation *> &slices,
                                function_ref<InFlightDiagnostic()> report) {
  IRMapping mapping;
  for (Value operand : hom->getOperands()) {
    auto view = operand.getDefiningOp<InpViewOp>();
    if (!view)
      continue;
    auto blocks = blocksOf(b, view, operand, tile, report);
    if (failed(blocks))
      return failure();
    SmallVector<Value> buffers, extents;
    SmallVector<Attribute> brackets;
    for (BufferBlock &block : *blocks) {
      Value buffer = view.getBuffers()[block.buffer];
      Values strides(block.offsets.size(), b.getIndexAttr(1));
      if (!block.offsets.empty())
        slices.push_back(
            tensor::ExtractSliceOp::create(b, view.getLoc(), buffer, block.offsets, block.sizes, strides));
      buffers.push_back(block.offsets.empty() ? buffer : slices.back()->getResult(0));
      brackets.push_back(block.accesses);
    }
    ArrayAttr accesses = b.getArrayAttr(brackets);
    MdaType type = typeOf(operand, tile);
    for (auto [d, extent] : llvm::enumerate(type.getExtents()))
      if (ShapedType::isDynamic(extent) && !mdhAxisOf(wrap(Attribute(accesses)), d).isFound)
        extents.push_back(cast<Value>(tile.sizes[d]));
    mapping.map(operand, InpViewOp::create(b, view.getLoc(), type, buffers, extents, accesses).getMda());
  }
  auto part = cast<MdHomOp>(b.clone(*hom, mapping));
  part.removeScheduleAttr(); // It is a schedule for the extents of the whole computation.
  part.getResult().setType(typeOf(hom.getResult(), tile));
  shiftIndices(b, part, tile);
  return part;
}

static FailureOr<TilingResult> tiled(OpBuilder &b, OutViewOp view, ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes, function_ref<InFlightDiagnostic()> report) {
  Tile tile = tileOf(b, view, offsets, sizes);
  auto blocks = blocksOf(b, view, view.getMda(), tile, report);
  if (failed(blocks))
    return failure();
  TilingResult result;
  auto hom = homOf(b, view.getMda().getDefiningOp<MdHomOp>(), tile, result.generatedSlices, report);
  if (failed(hom))
    return failure();
  SmallVector<Value> destinations;
  SmallVector<Type> types;
  SmallVector<Attribute> accesses;
  for (auto [block, type] : llvm::zip(*blocks, view.getResultTypes())) {
    Type element = cast<TensorType>(type).getElementType();
    types.push_back(RankedTensorType::get(decomposeMixedValues(block.sizes).first, element));
    accesses.push_back(block.accesses);
    // eliminate-empty-tensors replaces it by the tensor of the loop. CSE would merge several, which P3 forbids.
    if (blocks->size() == 1)
      destinations.push_back(tensor::EmptyOp::create(b, view.getLoc(), block.sizes, element));
  }
  auto out = OutViewOp::create(b, view.getLoc(), types, hom->getResult(), destinations, b.getArrayAttr(accesses));
  result.tiledOps.push_back(out);
  llvm::append_range(result.tiledValues, out.getBuffers());
  return result;
}

namespace {
struct TilingModel : TilingInterface::ExternalModel<TilingModel, OutViewOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    InpViewOp input = cast<OutViewOp>(op).getInput();
    auto hom = op->getOperand(0).getDefiningOp<MdHomOp>();
    size_t rank = input ? cast<MdaType>(input.getMda().getType()).getExtents().size() : 0;
    return llvm::map_to_vector(llvm::seq(rank), [&](size_t d) {
      return hom && !isa<ConcatenationAttr>(hom.getCombine()[d]) ? utils::IteratorType::reduction
                                                                 : utils::IteratorType::parallel;
    });
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    // Without the sizes of results, upstream fails with no reason.
    if (!cast<OutViewOp>(op).hasKnownSizes())
      op->emitRemark("is not tiled: requires iteration dimensions as indices where a new tensor has a dynamic size");
    return llvm::map_to_vector(cast<OutViewOp>(op).getDomain(b), [&](OpFoldResult extent) {
      return Range{b.getIndexAttr(0), extent, b.getIndexAttr(1)};
    });
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    return tiled(b, cast<OutViewOp>(op), offsets, sizes, [&] { return op->emitOpError(); });
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes, Values &blockOffsets, Values &blockSizes) const {
    auto report = [&] { return op->emitOpError(); };
    auto blocks = blocksOf(b, op, op->getOperand(0), tileOf(b, cast<OutViewOp>(op), offsets, sizes), report);
    if (succeeded(blocks))
      blockOffsets = (*blocks)[result].offsets, blockSizes = (*blocks)[result].sizes;
    return blocks;
  }

  LogicalResult getIterationDomainTileFromResultTile(Operation *op, OpBuilder &b, unsigned result,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &tileOffsets,
                                                     SmallVectorImpl<OpFoldResult> &tileSizes) const {
    auto view = cast<OutViewOp>(op);
    auto [dimensions, areKnown] = view.getDimensions(result);
    tileSizes = view.getDomain(b);
    if (tileSizes.empty() || !areKnown)
      return failure();
    tileOffsets.assign(tileSizes.size(), b.getIndexAttr(0));
    for (auto [d, offset, size] : llvm::zip(dimensions, offsets, sizes))
      if (d >= 0)
        tileOffsets[d] = offset, tileSizes[d] = size;
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b, unsigned result,
                                                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) const {
    auto report = [&] { return op->emitRemark("a tile of result ") << result + 1 << " is not computed by itself: "; };
    Values tileOffsets, tileSizes;
    if (failed(getIterationDomainTileFromResultTile(op, b, result, offsets, sizes, tileOffsets, tileSizes)))
      return report() << "requires one access, with dimensions as indices whose extents are the sizes of the result";
    FailureOr<TilingResult> tile = tiled(b, cast<OutViewOp>(op), tileOffsets, tileSizes, report);
    return failed(tile) ? tile : TilingResult{tile->tiledOps, {tile->tiledValues[result]}, tile->generatedSlices};
  }
};
} // namespace

void mdh::registerTiling(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MdhDialect *) {
    OutViewOp::attachInterface<TilingModel>(*context);
  });
}
