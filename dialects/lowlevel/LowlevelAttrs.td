//===- LowlevelAttrs.td - tags and placements ------------------*- tablegen -*-===//
#ifndef MDH_LOWLEVEL_ATTRS_TD
#define MDH_LOWLEVEL_ATTRS_TD

include "mlir/IR/EnumAttr.td"
include "MdhDialect.td"

def Mdh_MemoryRole : I32EnumAttr<"MemoryRole", "what a memory layer is", [
    I32EnumAttrCase<"Node", 0, "node">, I32EnumAttrCase<"Global", 1, "global">, I32EnumAttrCase<"Shared", 2, "shared">,
    I32EnumAttrCase<"Cache", 3, "cache">, I32EnumAttrCase<"Registers", 4, "registers">]> {
  let cppNamespace = "::mdh";
  let genSpecializedAttr = 0;
}

def Mdh_CoreRole : I32EnumAttr<"CoreRole", "what a core layer is", [
    I32EnumAttrCase<"Ranks", 0, "ranks">, I32EnumAttrCase<"Devices", 1, "devices">, I32EnumAttrCase<"Blocks", 2, "blocks">,
    I32EnumAttrCase<"Warps", 3, "warps">, I32EnumAttrCase<"Threads", 4, "threads">, I32EnumAttrCase<"Lanes", 5, "lanes">,
    I32EnumAttrCase<"Matrix", 6, "matrix">]> {
  let cppNamespace = "::mdh";
  let genSpecializedAttr = 0;
}

def Mdh_MemoryRoleAttr : EnumAttr<Mdh_Dialect, Mdh_MemoryRole, "memory_role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Mdh_CoreRoleAttr : EnumAttr<Mdh_Dialect, Mdh_CoreRole, "core_role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Mdh_MemoryRoleArrayAttr : TypedArrayAttrBase<Mdh_MemoryRoleAttr, "roles of memory layers">;
def Mdh_CoreRoleArrayAttr : TypedArrayAttrBase<Mdh_CoreRoleAttr, "roles of core layers">;

def Mdh_TagAttr : Mdh_Attr<"Tag", "tag"> {
  let summary = "an operator tag: a layer of the system and a dimension";
  let description = [{
    `#mdh.tag<COR, x>`. Dimensions 1, 2 and 3 are written x, y and z, further ones as numbers.
  }];
  let parameters = (ins StringRefParameter<"a memory or core layer">:$layer, "int64_t":$dimension,
                        OptionalParameter<"::mlir::Type", "what MLIR's parser takes for the type of the attribute">:$trailing);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$layer, "int64_t":$dimension),
                              [{ return $_get($_ctxt, layer, dimension, ::mlir::Type()); }]>];
  let hasCustomAssemblyFormat = 1;
}

def Mdh_PlacementAttr : Mdh_Attr<"Placement", "placement"> {
  let summary = "a memory region, a layout, and how a part is stored";
  let description = [{
    `#mdh.placement<HM[1, 2]>`: the region, and the buffer's dimensions from the slowest to the fastest, counted from 1. A part of an
    input may have a dimension twice: register tiles at its first place, the elements of a tile at the second one.

    `#mdh.placement<SM[2, 1] pad 1 buffers 2>` is for parts of inputs in the memory of a device's blocks and threads: `pad N` stores the fastest
    dimension N elements longer (1 to 64), so that rows begin N elements further on. With `buffers 2`, which needs the memory that the threads
    of a block share, sequential parts use two places in turn, and the next part is copied while one is computed; `buffers 1` is the same
    as nothing.
  }];
  let parameters = (ins StringRefParameter<"a memory layer">:$region, ArrayRefParameter<"int64_t">:$layout,
                        DefaultValuedParameter<"int64_t", "0">:$pad, DefaultValuedParameter<"int64_t", "1">:$buffers);
  let hasCustomAssemblyFormat = 1;
}

#endif // MDH_LOWLEVEL_ATTRS_TD
