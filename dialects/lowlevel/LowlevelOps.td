//===- LowlevelOps.td - the abstract system model and the steps -*- tablegen -*-===//
#ifndef MDH_LOWLEVEL_OPS_TD
#define MDH_LOWLEVEL_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "lowlevel/LowlevelAttrs.td"
include "lowlevel/ScheduleOps.td"
include "view/ViewTypes.td"

def Mdh_SystemOp : Mdh_Op<"lowlevel.system", [Symbol]> {
  let summary = "an abstract system model";
  let description = [{
    Memory and core layers, outermost first, each with its role. The roles of memory layers are `node`, `global`, `shared`, `cache` and
    `registers`, those of core layers are `ranks`, `devices`, `blocks`, `warps`, `threads`, `lanes` and `matrix`. `combine` names for each
    core layer the innermost memory layer in which its parts may be combined (default: the outermost memory layer). `limit` is the
    largest number of parts of each core layer.

    ```mlir
    mdh.lowlevel.system @cuda memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, CC: threads]
        combine [DM, SM] limit [?, 1024]
    ```

    Systems without roles are of an older form (version 1). The parser infers their roles from the names and the number of layers, with a warning.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$memory, StrArrayAttr:$cores,
                       OptionalAttr<Mdh_MemoryRoleArrayAttr>:$memory_roles, OptionalAttr<Mdh_CoreRoleArrayAttr>:$core_roles,
                       OptionalAttr<StrArrayAttr>:$combine, OptionalAttr<DenseI64ArrayAttr>:$limit);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Mdh_DecomposeOp : Mdh_Op<"lowlevel.decompose", [Pure, AllTypesMatch<["mda", "result"]>]> {
  let summary = "a step of the de-composition phase";
  let description = [{
    De-composes an MDA into parts at a level (layer, dimension): an inverse concatenation. It is executed by the system level of its
    tag, and reads each input buffer from a region in a layout.

    ```mlir
    %1 = mdh.lowlevel.decompose %0 level(1, 2) parts 4 tag #mdh.tag<HM, y> reads [HM[1, 2], HM[1]] : !mdh.mda<512x4096, f32, f32>
    ```
  }];
  let arguments = (ins Mdh_AnyMda:$mda, I64Attr:$layer, I64Attr:$dimension, I64Attr:$parts,
                       OptionalAttr<Mdh_TagAttr>:$tag, OptionalAttr<ArrayAttr>:$reads);
  let results = (outs Mdh_AnyMda:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Mdh_ScalarOp : Mdh_Op<"lowlevel.scalar",
    [Pure, SingleBlock, IsolatedFromAbove, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the scalar phase";
  let description = [{
    Applies the scalar function to each element, in the order of the matrix (one row per layer, one column per dimension).
    The initial values after `init` and `attributes {dimension_names, homomorphism, ordered}` are those of the `mdh.hom.md_hom` that the step is
    lowered from.

    ```mlir
    %7 = mdh.lowlevel.scalar %6 on @artificial order [[1, 2], [3, 4], [5, 6]]
        tags [#mdh.tag<HM, x>, #mdh.tag<HM, y>, #mdh.tag<COR, x>, #mdh.tag<COR, y>, #mdh.tag<L1, x>, #mdh.tag<L1, y>]
        reads [HM[1, 2], L1[1]] writes [L1[1]] {
    ^bb0(%m: f32, %x: f32):
      %p = arith.mulf %m, %x : f32
      mdh.hom.yield %p : f32
    } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x4096, f32>
    ```
  }];
  let arguments = (ins Mdh_AnyMda:$mda, Variadic<AnyType>:$init, FlatSymbolRefAttr:$system, ArrayAttr:$order, OptionalAttr<ArrayAttr>:$tags,
                       OptionalAttr<ArrayAttr>:$reads, OptionalAttr<ArrayAttr>:$writes, UnitAttr:$homomorphism, UnitAttr:$ordered,
                       OptionalAttr<DenseI64ArrayAttr>:$at, OptionalAttr<StrArrayAttr>:$dimension_names);
  let results = (outs Mdh_AnyMda:$result);
  let regions = (region SizedRegion<1>:$scalar);
  let assemblyFormat = [{
    $mda (`init` `(` $init^ `:` type($init) `)`)? `on` $system `order` custom<Order>($order) (`tags` $tags^)? (`reads` custom<Placements>($reads)^)?
    (`writes` custom<Placements>($writes)^)? attr-dict-with-keyword $scalar `:` type($mda) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Mdh_RecomposeOp : Mdh_Op<"lowlevel.recompose", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a step of the re-composition phase";
  let description = [{
    Combines the parts of a level with the operator of its dimension, and writes the result of each output buffer to a region in a layout.

    ```mlir
    %8 = mdh.lowlevel.recompose %7 combine #mdh.pw<add> level(3, 2) parts 64 tag #mdh.tag<L1, y> writes [L1[1]]
        : !mdh.mda<512x4096, f32> -> !mdh.mda<512x64, f32>
    ```
  }];
  let arguments = (ins Mdh_AnyMda:$mda, AnyAttr:$combine, I64Attr:$layer, I64Attr:$dimension, I64Attr:$parts,
                       OptionalAttr<Mdh_TagAttr>:$tag, OptionalAttr<ArrayAttr>:$writes);
  let results = (outs Mdh_AnyMda:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // MDH_LOWLEVEL_OPS_TD
