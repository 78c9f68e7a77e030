//===- Bufferization.cpp - bufferization of views on tensors to views on memrefs ===//
//
//   %in = inp_view %t : tensor             %in = inp_view %m : memref
//   %w = out_view %r -> tensor<4x..>  -->  %w = memref.alloc; out_view %r into %w
//   %w = out_view %r -> tensor<?x..>  -->  %w = out_view %r -> memref
//   %w = out_view %r into %t -> tensor     out_view %r into %m : memref
//
//===----------------------------------------------------------------------===//
#include "MdhDialect.h"
#include "view/Tiling.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mdh;

/// The row-major memref type of a tensor type.
static MemRefType memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// True if an operation between an inp_view and the out_views that read through it may write memory. Operations on
/// tensors count, because they may be bufferized to in-place writes to the buffer of another tensor. Operations that
/// allocate a new buffer, such as the copy of a destination, do not count, and neither do slices.
static bool mayBeOverwritten(InpViewOp view) {
  SmallVector<Operation *> readers, work(view->getUsers());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (isa<OutViewOp>(op))
      readers.push_back(op);
    else if (isa<MdHomOp, DecomposeOp, ScalarOp, RecomposeOp>(op))
      work.append(op->user_begin(), op->user_end());
    else
      return true;
  }
  auto touchesBuffers = [](Operation *op) {
    auto isBuffer = [](Type type) { return isa<TensorType, BaseMemRefType>(type); };
    return llvm::any_of(op->getOperandTypes(), isBuffer) || op->getNumRegions();
  };
  for (Operation *reader : readers) {
    if (reader->getBlock() != view->getBlock())
      return true;
    for (Operation *op = view->getNextNode(); op && op != reader; op = op->getNextNode()) {
      bool isStep = isa<MdHomOp, DecomposeOp, ScalarOp, RecomposeOp, InpViewOp>(op);
      auto other = dyn_cast<OutViewOp>(op);
      bool writesElsewhere =
          (other && other.getDestinations().empty()) || isa<bufferization::AllocTensorOp, tensor::ExtractSliceOp>(op);
      if (!isStep && !writesElsewhere && (touchesBuffers(op) || !isMemoryEffectFree(op)))
        return true;
    }
  }
  return false;
}

namespace {
struct InpViewModel : BufferizableOpInterface::ExternalModel<InpViewModel, InpViewOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const { return {}; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto view = cast<InpViewOp>(op);
    bool copy = mayBeOverwritten(view);
    for (OpOperand &operand : view.getBuffersMutable()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> buffer = getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      Value source = *buffer;
      if (copy) {
        auto type = memrefOf(operand.get().getType());
        SmallVector<Value> sizes;
        for (int64_t i = 0; i < type.getRank(); ++i)
          if (type.isDynamicDim(i))
            sizes.push_back(memref::DimOp::create(rewriter, op->getLoc(), source, i));
        FailureOr<Value> fresh = options.createAlloc(rewriter, op->getLoc(), type, sizes);
        if (failed(fresh) || failed(options.createMemCpy(rewriter, op->getLoc(), source, *fresh)))
          return failure();
        source = *fresh;
      }
      rewriter.modifyOpInPlace(op, [&] { operand.set(source); });
    }
    return success();
  }
};

struct OutViewModel : BufferizableOpInterface::ExternalModel<OutViewModel, OutViewOp> {
  bool bufferizesToAllocation(Operation *op, Value) const {
    return cast<OutViewOp>(op).getDestinations().empty();
  }
  // Elements that no index function reaches keep their value, so a destination with such elements is also read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !mdhOverwrites(wrap(op), operand.getOperandNumber() - 1);
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand, const AnalysisState &) const {
    // Operand 0 is the MDA.
    return {{op->getResult(operand.getOperandNumber() - 1), BufferRelation::Equivalent}};
  }
  FailureOr<BufferLikeType> getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                                          const BufferizationState &state,
                                          SmallVector<Value> &stack) const {
    auto view = cast<OutViewOp>(op);
    if (view.getDestinations().empty())
      return cast<BufferLikeType>(memrefOf(value.getType()));
    unsigned i = cast<OpResult>(value).getResultNumber();
    return bufferization::getBufferType(view.getDestinations()[i], options, state, stack);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto view = cast<OutViewOp>(op);
    SmallVector<Value> destinations;
    SmallVector<Type> results;
    for (Value destination : view.getDestinations()) {
      FailureOr<Value> buffer = isa<TensorType>(destination.getType())
                                    ? getBuffer(rewriter, destination, options, state)
                                    : FailureOr<Value>(destination);
      if (failed(buffer))
        return failure();
      destinations.push_back(*buffer);
    }
    // New buffers of static size are allocated here; the lowering of the view computes the sizes of the others.
    auto isStatic = [](Type type) { return isa<TensorType>(type) && cast<TensorType>(type).hasStaticShape(); };
    if (destinations.empty() && llvm::all_of(view.getBuffers().getTypes(), isStatic))
      for (Type type : view.getBuffers().getTypes()) {
        FailureOr<Value> fresh = options.createAlloc(rewriter, op->getLoc(), memrefOf(type), {});
        if (failed(fresh))
          return failure();
        destinations.push_back(*fresh);
      }
    if (destinations.empty())
      for (Type type : view.getBuffers().getTypes())
        results.push_back(isa<TensorType>(type) ? Type(memrefOf(type)) : type);
    auto lowered = OutViewOp::create(rewriter, op->getLoc(), results, view.getMda(), destinations,
                                     view.getAccesses());
    replaceOpWithBufferizedValues(rewriter, op,
                                  destinations.empty() ? ValueRange(lowered.getBuffers())
                                                       : ValueRange(destinations));
    return success();
  }
};
} // namespace

void mdh::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MdhDialect *) {
    InpViewOp::attachInterface<InpViewModel>(*context);
    OutViewOp::attachInterface<OutViewModel>(*context);
  });
}
