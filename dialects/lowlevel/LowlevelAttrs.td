//===- LowlevelAttrs.td - tags and placements ------------------*- tablegen -*-===//
#ifndef MDH_LOWLEVEL_ATTRS_TD
#define MDH_LOWLEVEL_ATTRS_TD

include "mlir/IR/EnumAttr.td"
include "MdhDialect.td"

def Mdh_MemoryRole : I32EnumAttr<"MemoryRole", "the role of a memory layer", [
    I32EnumAttrCase<"Node", 0, "node">, I32EnumAttrCase<"Global", 1, "global">, I32EnumAttrCase<"Shared", 2, "shared">,
    I32EnumAttrCase<"Cache", 3, "cache">, I32EnumAttrCase<"Registers", 4, "registers">]> {
  let cppNamespace = "::mdh";
  let genSpecializedAttr = 0;
}

def Mdh_CoreRole : I32EnumAttr<"CoreRole", "the role of a core layer", [
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
                        OptionalParameter<"::mlir::Type", "the type that MLIR's parser reads after the attribute">:$trailing);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$layer, "int64_t":$dimension),
                              [{ return $_get($_ctxt, layer, dimension, ::mlir::Type()); }]>];
  let hasCustomAssemblyFormat = 1;
}

def Mdh_PlacementAttr : Mdh_Attr<"Placement", "placement"> {
  let summary = "a memory region, a layout, and storage options";
  let description = [{
    `#mdh.placement<HM[1, 2]>`: the region, and the buffer's dimensions from the slowest to the fastest, counted from 1. In the layout
    of a part of an input, a dimension may occur twice (a packed axis): the first occurrence counts its register tiles, the second
    one the elements of a tile.

    `#mdh.placement<SM[2, 1] pad 1 buffers 2>` is for parts of inputs in the memory of blocks and threads of a device. `pad N` (1 to 64)
    pads the fastest dimension by N elements, so that the row stride grows by N elements. `buffers 2` is double buffering, in memory
    that the threads of a block share: two buffer slots, where the next part is copied to one slot while the part in the other one is
    computed. `buffers 1` is the default.
  }];
  let parameters = (ins StringRefParameter<"a memory layer">:$region, ArrayRefParameter<"int64_t">:$layout,
                        DefaultValuedParameter<"int64_t", "0">:$pad, DefaultValuedParameter<"int64_t", "1">:$buffers);
  let hasCustomAssemblyFormat = 1;
}

#endif // MDH_LOWLEVEL_ATTRS_TD
