//===- Upstream.h - Types, attributes and rewrites that MLIR's C API lacks ------===//
//
// The dialects of the types, attributes and new operations must be loaded.
//
//===----------------------------------------------------------------------===//
#ifndef MDH_CAPI_UPSTREAM_H
#define MDH_CAPI_UPSTREAM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An array type of the LLVM dialect; null if `element` is not a valid element type.
MlirType mdhLlvmArrayTypeGet(MlirType element, uint64_t count);
/// The token type of asynchronous copies to shared memory.
MlirType mdhNvgpuAsyncTokenTypeGet(MlirContext ctx);
/// Replaces `from` by `to` everywhere in a type, except inside named structs.
MlirType mdhTypeReplace(MlirType type, MlirType from, MlirType to);

/// The address space of `gpu` in which a memref is; -1 for other types.
int mdhTypeGetGpuAddressSpace(MlirType type);

/// A number, or a splat of a shaped type, from the bits of a float or a signed integer, low word first.
MlirAttribute mdhNumberAttrGet(MlirType type, intptr_t n, const uint64_t *words);
/// Attributes without parameters.
typedef enum MdhConstant {
  MDH_WORKGROUP_MEMORY = 0,
  MDH_PRIVATE_MEMORY = 1,
  MDH_SHUFFLE_UP = 2,
  MDH_SHUFFLE_DOWN = 3,
  MDH_CONTRACT = 4,
  MDH_COMBINE_OR = 5,
  MDH_SPIRV_KERNELS = 6,
  MDH_PARALLEL = 7,
  MDH_REDUCTION = 8,
} MdhConstant;
MlirAttribute mdhConstantAttrGet(MlirContext ctx, MdhConstant constant);
/// The annotation of a loop that is unrolled fully, or `count` times.
MlirAttribute mdhLlvmUnrollAttrGet(MlirContext ctx, bool isFull, int32_t count);
/// New scopes of a new domain.
void mdhLlvmAliasScopes(MlirContext ctx, intptr_t n, MlirAttribute *scopes);
MlirAttribute mdhGpuSelectObjectAttrGet(MlirContext ctx, MlirAttribute target);
MlirAttribute mdhNvvmTargetAttrGet(MlirContext ctx, MlirStringRef chip);

/// The number of entries of a DLTI map, device or system specification; -1 for other attributes.
intptr_t mdhDltiGetNumEntries(MlirAttribute attr);
/// The key of an entry; empty if the key is a type.
MlirStringRef mdhDltiGetKey(MlirAttribute attr, intptr_t i);
MlirAttribute mdhDltiGetValue(MlirAttribute attr, intptr_t i);
/// The specification of a device, or of a system of devices. Null, with an error, if MLIR rejects the entries.
MlirAttribute mdhDltiSpecGet(MlirContext ctx, bool isSystem, intptr_t n,
                             const MlirStringRef *keys,
                             const MlirAttribute *values);

/// The number of elements of an array type of the LLVM dialect; -1 for other types.
int64_t mdhLlvmArrayTypeGetNumElements(MlirType type);
/// The properties of an operation as a dictionary; null if it has none.
MlirAttribute mdhOperationGetProperties(MlirOperation op);
/// A module of the LLVM dialect from one of LLVM IR, which it owns and frees. Null, with an error, if it cannot be imported.
MlirModule mdhImportLlvmModule(MlirContext ctx, void *module);

/// Builds, before an operation of linalg that consists of others (`softmax`), those that compute its only result, which is
/// returned; null for other operations.
MlirValue mdhLinalgDecompose(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_UPSTREAM_H
