//===- Mdh.td - the whole dialect ------------------------------*- tablegen -*-===//
include "hom/HomOps.td"
include "view/ViewOps.td"
include "lowlevel/LowlevelOps.td"
