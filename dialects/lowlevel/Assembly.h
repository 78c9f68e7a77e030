//===- Assembly.h - custom directives of operations -------------------------===//
#ifndef MDH_LOWLEVEL_ASSEMBLY_H
#define MDH_LOWLEVEL_ASSEMBLY_H

#include "MdhDialect.h"

namespace mdh {
/// `[HM[1, 2], L1[1]]`
mlir::ParseResult parsePlacements(mlir::OpAsmParser &parser, mlir::ArrayAttr &placements);
void printPlacements(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr placements);

/// `[[1, 2], [3, 4]]`
mlir::ParseResult parseOrder(mlir::OpAsmParser &parser, mlir::ArrayAttr &order);
void printOrder(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr order);

/// `[#mdh.cc, #mdh.pw<add>]`
mlir::ParseResult parseCombineOperators(mlir::OpAsmParser &parser, mlir::ArrayAttr &combine);
void printCombineOperators(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr combine);

/// `[8, ?]`
mlir::ParseResult parseCounts(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &counts);
void printCounts(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr counts);

/// A word, such as the name of a layer: `SM`
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, mlir::StringAttr &word);
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr word);
} // namespace mdh

#endif // MDH_LOWLEVEL_ASSEMBLY_H
