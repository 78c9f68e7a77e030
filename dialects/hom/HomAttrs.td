//===- HomAttrs.td - combine operators -------------------------*- tablegen -*-===//
#ifndef MDH_HOM_ATTRS_TD
#define MDH_HOM_ATTRS_TD

include "mlir/IR/EnumAttr.td"
include "MdhDialect.td"

def Mdh_Kind : I32EnumAttr<"Kind", "a built-in combining function", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Xor", 6, "xor">]> {
  let cppNamespace = "::mdh";
  let genSpecializedAttr = 0;
}

def Mdh_ConcatenationAttr : Mdh_Attr<"Concatenation", "cc"> {
  let summary = "concatenation";
  let description = [{ Keeps the index set of the dimension: `#mdh.cc`. }];
}

class Mdh_FunctionAttr<string name, string mnemonic> : Mdh_Attr<name, mnemonic> {
  let parameters = (ins ArrayRefParameter<"::mdh::Kind">:$kinds, "bool":$list, "::mlir::FlatSymbolRefAttr":$symbol);
  let hasCustomAssemblyFormat = 1;
}

def Mdh_PointWiseAttr : Mdh_FunctionAttr<"PointWise", "pw"> {
  let summary = "point-wise combination";
  let description = [{
    Collapses the index set to one point: `#mdh.pw<add>` combines every component with one kind (add, mul, min, max, and, or, xor),
    `#mdh.pw<[add, mul]>` each component with its own, `#mdh.pw<@op>` the tuple with an `mdh.hom.operator`.
  }];
}

def Mdh_PrefixSumAttr : Mdh_FunctionAttr<"PrefixSum", "ps"> {
  let summary = "prefix sum";
  let description = [{
    Keeps the index set; position i contains the combination of positions 0 to i. Written like `#mdh.pw`: `#mdh.ps<add>`,
    `#mdh.ps<[add, max]>`, `#mdh.ps<@op>`.
  }];
}

#endif // MDH_HOM_ATTRS_TD
