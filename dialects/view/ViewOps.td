//===- ViewOps.td - input and output views ---------------------*- tablegen -*-===//
#ifndef MDH_VIEW_OPS_TD
#define MDH_VIEW_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "view/ViewTypes.td"

def Mdh_InpViewOp : Mdh_Op<"view.inp_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "the accesses to the input buffers";
  let description = [{
    Maps buffers to an MDA. The bracket after a buffer lists the index functions of its accesses; the accesses of all buffers in order
    are the components of the scalar tuple. A dynamic extent is inferred from a buffer dimension that is indexed by a single iteration
    dimension, or given as an operand otherwise.

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
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
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
}

#endif // MDH_VIEW_OPS_TD
