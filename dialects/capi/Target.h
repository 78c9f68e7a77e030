//===- Target.h - The names that a target knows --------------------------------===//
#ifndef MDH_CAPI_TARGET_H
#define MDH_CAPI_TARGET_H

#include "llvm-c/TargetMachine.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MdhTargetNames {
  /// Every processor of the machine's target.
  MDH_TARGET_PROCESSORS = 0,
  /// Every feature of the machine's target.
  MDH_TARGET_FEATURES = 1,
  /// The features that the machine has.
  MDH_TARGET_ENABLED_FEATURES = 2,
} MdhTargetNames;

/// Makes LLVM look for no loops that compute checksums, in this process: in a loop whose values choose between themselves, as a maximum does,
/// LLVM 22 looks at every way through the choices.
void mdhDisableChecksumRecognition(void);

/// Calls back with each name.
void mdhTargetNames(LLVMTargetMachineRef machine, MdhTargetNames which,
                    MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_TARGET_H
