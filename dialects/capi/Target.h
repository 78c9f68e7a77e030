//===- Target.h - The names that a target knows --------------------------------===//
#ifndef MDH_CAPI_TARGET_H
#define MDH_CAPI_TARGET_H

#include "llvm-c/TargetMachine.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Calls back with the name of every processor, or of every feature, of a machine's target.
void mdhTargetNames(LLVMTargetMachineRef machine, bool features,
                    MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_TARGET_H
