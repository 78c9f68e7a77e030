//===- Roles.h - the roles of layers, computed by lowlevel/roles.rs -----------===//
#ifndef MDH_LOWLEVEL_ROLES_H
#define MDH_LOWLEVEL_ROLES_H

#include "MdhDialect.h"

#include "mlir/CAPI/Support.h"

extern "C" {
/// Layers of a system, outermost first, and the enumeration values of their roles.
struct MdhLayers {
  size_t count;
  const MlirStringRef *names;
  int32_t *roles;
};

/// Computes the roles of a system of version 1, which has none, and passes the text of the layers with their roles to
/// the callback.
void mdhRolesOfVersion1(MlirStringRef name, MdhLayers memory, MdhLayers cores, MlirStringCallback text, void *data);
}

namespace mdh {
/// Layers of a system, with storage for the enumeration values of their roles.
struct LayerList {
  llvm::SmallVector<MlirStringRef> names;
  llvm::SmallVector<int32_t> roles;

  explicit LayerList(mlir::ArrayAttr layers) : roles(layers.size()) {
    for (llvm::StringRef name : layers.getAsValueRange<mlir::StringAttr>())
      names.push_back(wrap(name));
  }

  MdhLayers get() { return {names.size(), names.data(), roles.data()}; }
};

/// String callback that appends to a `std::string`.
inline void appendText(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}
} // namespace mdh

#endif // MDH_LOWLEVEL_ROLES_H
