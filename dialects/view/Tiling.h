//===- Tiling.h - tiles of computations, as far as they are written in Rust ---===//
#ifndef MDH_VIEW_TILING_H
#define MDH_VIEW_TILING_H

#include "mlir-c/IR.h"

extern "C" {
/// A tile of an iteration space: by dimension, its size, negative if dynamic, and whether it may be less than the extent.
typedef struct {
  size_t dimensions;
  const int64_t *sizes;
  const bool *isPartial;
} MdhTile;

/// A dimension of a buffer.
typedef struct {
  bool isFound;
  size_t buffer, axis;
} MdhAxis;

// Implemented in `tile.rs`.

/// The blocks of buffers that a tile of a view reaches, an array for each: the number of the buffer, its index functions,
/// and maps from the offsets and then the sizes of the tile to the offsets and to the sizes of the block. The maps have no
/// results if the buffer is read as a whole. A string with the reason if the tile cannot be computed by itself.
MlirAttribute mdhTileBlocks(MlirOperation view, MdhTile tile);
/// The first dimension of a buffer whose index is an iteration dimension.
MdhAxis mdhAxisOf(MlirAttribute accesses, size_t dimension);
/// Writes by dimension of a result the iteration dimension that is its index and whose extent is its size, -1 if there is
/// none. Returns false if a dimension without one has several indices.
bool mdhResultDimensions(MlirOperation outView, size_t result, int64_t *dimensions);
/// True if an out_view writes all elements of a destination; false if this is not known.
bool mdhOverwrites(MlirOperation outView, size_t destination);
}

#endif // MDH_VIEW_TILING_H
