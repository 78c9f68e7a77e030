//===- Roles.h - what lowlevel/roles.rs knows about the roles of layers -------===//
#ifndef MDH_LOWLEVEL_ROLES_H
#define MDH_LOWLEVEL_ROLES_H

#include "MdhDialect.h"

#include "mlir/CAPI/Support.h"

extern "C" {
/// Layers of a system, outermost first, and the numbers of their roles.
struct MdhLayers {
  size_t count;
  const MlirStringRef *names;
  int32_t *roles;
};

/// Writes the roles of a system that says none. The text is that of the layers with them.
void mdhRolesOfVersion1(MlirStringRef name, MdhLayers memory, MdhLayers cores, MlirStringCallback text, void *data);
}

namespace mdh {
/// Layers of a system with room for the numbers of their roles.
struct LayerList {
  llvm::SmallVector<MlirStringRef> names;
  llvm::SmallVector<int32_t> roles;

  explicit LayerList(mlir::ArrayAttr layers) : roles(layers.size()) {
    for (llvm::StringRef name : layers.getAsValueRange<mlir::StringAttr>())
      names.push_back(wrap(name));
  }

  MdhLayers get() { return {names.size(), names.data(), roles.data()}; }
};

/// Appends what a callback is given to a string.
inline void appendText(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}
} // namespace mdh

#endif // MDH_LOWLEVEL_ROLES_H
