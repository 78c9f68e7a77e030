//===- Target.cpp - Processor and feature names of a target -------------------===//
//
// LLVM's C API can only print them, and accepts unknown ones with a warning.
//
//===----------------------------------------------------------------------===//
#include "capi/Target.h"

#include "llvm-c/TargetMachine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"

#include <cstring>

void mdhDisableChecksumRecognition() { llvm::DisableLIRP::HashRecognize = true; }

template <typename Entries>
static void report(const Entries &entries, MlirStringCallback callback, void *userData) {
  for (const auto &entry : entries)
    callback(mlirStringRefCreate(entry.Key, std::strlen(entry.Key)), userData);
}

void mdhTargetNames(LLVMTargetMachineRef machine, MdhTargetNames which,
                    MlirStringCallback callback, void *userData) {
  const llvm::MCSubtargetInfo &info =
      *reinterpret_cast<llvm::TargetMachine *>(machine)->getMCSubtargetInfo();
  switch (which) {
  case MDH_TARGET_PROCESSORS:
    return report(info.getAllProcessorDescriptions(), callback, userData);
  case MDH_TARGET_FEATURES:
    return report(info.getAllProcessorFeatures(), callback, userData);
  case MDH_TARGET_ENABLED_FEATURES:
    return report(info.getEnabledProcessorFeatures(), callback, userData);
  }
}
