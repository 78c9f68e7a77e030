//===- ViewTypes.td - multi-dimensional arrays -----------------*- tablegen -*-===//
#ifndef MDH_VIEW_TYPES_TD
#define MDH_VIEW_TYPES_TD

include "MdhDialect.td"

def Mdh_MdaType : TypeDef<Mdh_Dialect, "Mda"> {
  let mnemonic = "mda";
  let summary = "a multi-dimensional array: a function on a product of index sets";
  let description = [{
    The extents of the index sets (`?` if known only at run time), followed by the types of the scalar tuple, one for each access of
    the view, in the order of the buffers:

    ```mlir
    !mdh.mda<512x4096, f32, f32>
    !mdh.mda<16x?>
    ```

    An MDA is never stored: it is an alias of the buffers that it views.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, ArrayRefParameter<"::mlir::Type">:$scalars);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// With mlir::Type as its C++ class, an operation prints the whole type, including `!mdh.mda`.
def Mdh_AnyMda : Type<CPred<"::llvm::isa<::mdh::MdaType>($_self)">, "multi-dimensional array">;

def Mdh_Buffer : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;

#endif // MDH_VIEW_TYPES_TD
