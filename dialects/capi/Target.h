//===- Target.h - Processor and feature names of a target -----------------------===//
#ifndef MDH_CAPI_TARGET_H
#define MDH_CAPI_TARGET_H

#include "llvm-c/TargetMachine.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MdhTargetNames {
  /// All processors of the target.
  MDH_TARGET_PROCESSORS = 0,
  /// All features of the target.
  MDH_TARGET_FEATURES = 1,
  /// The features that are enabled in the target machine.
  MDH_TARGET_ENABLED_FEATURES = 2,
} MdhTargetNames;

/// Disables LLVM's recognition of checksum (CRC) loops in this process. In a loop with chains of selects, such as a
/// maximum, LLVM 22 examines every path through the selects.
void mdhDisableChecksumRecognition(void);

/// Calls `callback` with each name.
void mdhTargetNames(LLVMTargetMachineRef machine, MdhTargetNames which,
                    MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_TARGET_H
