//===- HomOps.td - homomorphisms -------------------------------*- tablegen -*-===//
#ifndef MDH_HOM_OPS_TD
#define MDH_HOM_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "hom/HomAttrs.td"
include "view/ViewTypes.td"

def Mdh_MdHomOp : Mdh_Op<"hom.md_hom",
    [Pure, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a multi-dimensional homomorphism";
  let description = [{
    Applies the scalar function at each point and combines the results with one operator in each dimension.

    ```mlir
    %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
    ^bb0(%m: f32, %x: f32):
      %p = arith.mulf %m, %x : f32
      mdh.hom.yield %p : f32
    } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
    ```

    `init` gives one initial value for each component of the result: a scalar, or an MDA of an `mdh.view.inp_view` whose extent is 1 in
    point-wise and scanned dimensions. The result is `init ∘ fold`; for a scan, the init is the carry that comes in.

    ```mlir
    %c = mdh.view.inp_view %C[affine_map<(i, k) -> (i)>] : (tensor<512xf32>) -> !mdh.mda<512x1, f32>
    %res = mdh.hom.md_hom %in init(%c : !mdh.mda<512x1, f32>) combine [#mdh.cc, #mdh.pw<add>] { .. }
    ```

    The scalar function may use scalars defined outside of it; `mdh-capture-scalars` turns them into inputs without an index.

    All point-wise and prefix-sum operators use one function (Lemma 10), unless `attributes {homomorphism}` declares that different ones
    form a homomorphism together. `attributes {schedule = {...}}` holds the tuning parameters between `mdh-schedule` and `mdh-partition`.
    `attributes {dimension_names = ["i", "k"]}` are the names that the program gives the dimensions, for readers: they change no result.
    `attributes {ordered}` requires that values are combined in the lexicographic order of the points, if another order would round
    floats otherwise. `--strict` sets it on all computations.
  }];
  let arguments = (ins Mdh_AnyMda:$mda, Variadic<AnyType>:$init, ArrayAttr:$combine, OptionalAttr<DictionaryAttr>:$schedule,
                       UnitAttr:$homomorphism, UnitAttr:$ordered, OptionalAttr<StrArrayAttr>:$dimension_names);
  let results = (outs Mdh_AnyMda:$result);
  let regions = (region SizedRegion<1>:$scalar);
  let assemblyFormat = [{
    $mda (`init` `(` $init^ `:` type($init) `)`)? `combine` custom<CombineOperators>($combine) attr-dict-with-keyword $scalar
    `:` type($mda) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Mdh_YieldOp : Mdh_Op<"hom.yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the results of a scalar function or operator";
  let description = [{ `mdh.hom.yield %p : f32` }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Mdh_IndexOp : Mdh_Op<"hom.index", [Pure]> {
  let summary = "the index of the point in a dimension";
  let description = [{
    Only valid in a scalar function; dimensions count from 0.

    ```mlir
    %i = mdh.hom.index 0 : index
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Mdh_OperatorOp : Mdh_Op<"hom.operator", [Symbol, IsolatedFromAbove]> {
  let summary = "a user-defined combining function on scalar tuples";
  let description = [{
    Takes the left tuple, then the right one, and yields their combination. It must be associative, which is not
    checked; `commutative` and an identity are declared.

    ```mlir
    mdh.hom.operator @sum commutative (%a: f32, %b: f32) -> (f32) {
      %r = arith.addf %a, %b : f32
      mdh.hom.yield %r : f32
    } identity {
      %zero = arith.constant 0.0 : f32
      mdh.hom.yield %zero : f32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, UnitAttr:$commutative);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$identity);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Mdh_ComputeOp : Mdh_Op<"compute", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a computation in the form published on mdh-lang.org";
  let description = [{
    Expanded by `mdh-expand-compute`.

    ```mlir
    %w = mdh.compute "matvec" {
      inp_view = [[affine_map<(i, k) -> (i, k)>], [affine_map<(i, k) -> (k)>]],
      md_hom = {scalar_func = @mul, combine_ops = ["cc", ["pw", @add]]},
      out_view = [[affine_map<(i, k) -> (i)>]]
    } {
      inp_types = [f32, f32], mda_size = [128, 64], out_types = [f32]
    } (%M, %v) : (memref<128x64xf32>, memref<64xf32>) -> memref<128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, DictionaryAttr:$computation, DictionaryAttr:$types,
                       Variadic<Mdh_Buffer>:$inputs);
  let results = (outs Variadic<Mdh_Buffer>:$outputs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // MDH_HOM_OPS_TD
