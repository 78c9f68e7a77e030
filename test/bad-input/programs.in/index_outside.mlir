func.func @f() -> index {
  %i = mdh.hom.index 0 : index
  return %i : index
}
