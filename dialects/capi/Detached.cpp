//===- Detached.cpp - Erased operations to which live handles refer -----------===//
#include "capi/Mdh.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

/// Removes all operands, so that the operations use nothing. `dropAllReferences` would leave null operands, which a
/// live handle may still read.
static void dropOperands(Operation *op) {
  op->walk([](Operation *inner) { inner->setOperands({}); });
}

static bool isUsed(Block &block) {
  return !block.use_empty() ||
         llvm::any_of(block.getArguments(),
                      [](BlockArgument value) { return !value.use_empty(); });
}

/// True if other operations use a value that the operation, or one nested in it, defines.
static bool isUsed(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool used = !inner->use_empty();
        for (Region &region : inner->getRegions())
          for (Block &block : region)
            used |= llvm::any_of(block.getArguments(), [](BlockArgument value) {
              return !value.use_empty();
            });
        return used ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

MlirOperation mdhOperationCloneMapped(MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to) {
  IRMapping mapping;
  for (intptr_t i = 0; i < n; ++i)
    mapping.map(unwrap(from[i]), unwrap(to[i]));
  return wrap(unwrap(op)->clone(mapping));
}

void mdhOperationDetach(MlirOperation op) {
  unwrap(op)->remove();
  dropOperands(unwrap(op));
}

MlirBlock mdhBlockDetachArgument(MlirBlock block, intptr_t index) {
  // Only a block can destroy an argument. So the argument is swapped with that of a new block, and the replacement is
  // erased from the original block.
  BlockArgument &argument = unwrap(block)->getArguments()[index];
  auto *holder = new Block();
  holder->addArgument(argument.getType(), argument.getLoc());
  std::swap(argument, holder->getArguments()[0]);
  unwrap(block)->eraseArgument(index);
  return wrap(holder);
}

intptr_t mdhDestroyDetached(intptr_t nOps, const MlirOperation *ops,
                            intptr_t nBlocks, const MlirBlock *blocks) {
  SmallVector<Operation *> unused;
  SmallVector<Block *> unusedBlocks;
  for (MlirOperation op : ArrayRef(ops, static_cast<size_t>(nOps)))
    dropOperands(unwrap(op));
  for (MlirOperation op : ArrayRef(ops, static_cast<size_t>(nOps)))
    if (!isUsed(unwrap(op)))
      unused.push_back(unwrap(op));
  for (MlirBlock block : ArrayRef(blocks, static_cast<size_t>(nBlocks)))
    if (!isUsed(*unwrap(block)))
      unusedBlocks.push_back(unwrap(block));
  // Terminators refer to blocks, which may be in another operation.
  for (Operation *op : unused)
    op->dropAllReferences();
  for (Operation *op : unused)
    op->destroy();
  for (Block *block : unusedBlocks)
    delete block;
  return nOps + nBlocks - unused.size() - unusedBlocks.size();
}
