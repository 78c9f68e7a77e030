//===- MdhDialect.td - the mdh dialect and its base classes ----*- tablegen -*-===//
#ifndef MDH_DIALECT_TD
#define MDH_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Mdh_Dialect : Dialect {
  let name = "mdh";
  let summary = "multi-dimensional homomorphisms";
  let description = [{
    One dialect, three families of operations:

    - `mdh.view.*`: the buffer elements that a computation reads and writes
    - `mdh.hom.*`: the scalar function applied at each point, and the combine operator of each dimension
    - `mdh.lowlevel.*`: de-composition and re-composition over the layers of a machine

    An MLIR dialect namespace cannot contain a dot, so the families are prefixes of operation names.
  }];
  let cppNamespace = "::mdh";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

class Mdh_Op<string mnemonic, list<Trait> traits = []> : Op<Mdh_Dialect, mnemonic, traits>;
class Mdh_Attr<string name, string attrMnemonic> : AttrDef<Mdh_Dialect, name> {
  let mnemonic = attrMnemonic;
}

#endif // MDH_DIALECT_TD
