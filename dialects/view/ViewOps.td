//===- ViewOps.td - input and output views ---------------------*- tablegen -*-===//
#ifndef MDH_VIEW_OPS_TD
#define MDH_VIEW_OPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "view/ViewTypes.td"

def Mdh_InpViewOp : Mdh_Op<"view.inp_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "the accesses to the input buffers";
  let description = [{
    Maps buffers to an MDA. The bracket after a buffer lists the index functions of its accesses; the accesses of all buffers in order
    are the components of the scalar tuple. A dynamic extent is inferred from a buffer dimension that is indexed by a single iteration
    dimension, and by it in no other way, or given as an operand otherwise.

    ```mlir
    %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
        : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
    ```
  }];
  let arguments = (ins Variadic<Mdh_Buffer>:$buffers, Variadic<Index>:$extents, ArrayAttr:$accesses);
  let results = (outs Mdh_AnyMda:$mda);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Mdh_OutViewOp : Mdh_Op<"view.out_view",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "the accesses to the output buffers";
  let description = [{
    Writes an MDA to buffers: to new tensors or memrefs, or to destinations, where elements that no index function reaches keep
    their value. Memory is read and written when this operation is executed.

    ```mlir
    %w = mdh.view.out_view %res[affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32> -> tensor<512xf32>
    mdh.view.out_view %res[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<512x1, f32>, memref<512xf32>
    ```
  }];
  let arguments = (ins Mdh_AnyMda:$mda, Variadic<Mdh_Buffer>:$destinations, ArrayAttr:$accesses);
  let results = (outs Variadic<Mdh_Buffer>:$buffers);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The inp_view that the chain of steps begins with; null if it begins with another operation.
    InpViewOp getInput();
    /// The extents of the iteration space, constants as attributes; empty without an inp_view.
    ::llvm::SmallVector<::mlir::OpFoldResult> getDomain(::mlir::OpBuilder &b);
    /// By dimension of a result, the iteration dimension that is its index and whose extent is its size; -1 if there is
    /// none. The flag is false if a dimension without one has several indices.
    std::pair<::llvm::SmallVector<int64_t>, bool> getDimensions(unsigned result);
    /// False if a new tensor has a dynamic size that is not an extent.
    bool hasKnownSizes();
  }];
}

#endif // MDH_VIEW_OPS_TD
