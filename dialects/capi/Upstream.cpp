//===- Upstream.cpp - Types, attributes and rewrites that MLIR's C API lacks ----===//
#include "capi/Upstream.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Import.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Module.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType mdhLlvmArrayTypeGet(MlirType element, uint64_t count) {
  if (!LLVM::LLVMArrayType::isValidElementType(unwrap(element)))
    return {nullptr};
  return wrap(Type(LLVM::LLVMArrayType::get(unwrap(element), count)));
}
MlirType mdhNvgpuAsyncTokenTypeGet(MlirContext ctx) {
  return wrap(Type(nvgpu::DeviceAsyncTokenType::get(unwrap(ctx))));
}
MlirType mdhTypeReplace(MlirType type, MlirType from, MlirType to) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Type part) -> std::optional<Type> {
    return part == unwrap(from) ? std::optional(unwrap(to)) : std::nullopt;
  });
  // MLIR does not replace inside structs, which may be recursive.
  replacer.addReplacement([&](LLVM::LLVMStructType part) -> std::optional<Type> {
    if (part.isIdentified())
      return std::nullopt;
    SmallVector<Type> fields;
    for (Type field : part.getBody())
      fields.push_back(replacer.replace(field));
    return LLVM::LLVMStructType::getLiteral(part.getContext(), fields, part.isPacked());
  });
  return wrap(replacer.replace(unwrap(type)));
}
int mdhTypeGetGpuAddressSpace(MlirType type) {
  auto memref = dyn_cast<BaseMemRefType>(unwrap(type));
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(memref ? memref.getMemorySpace() : Attribute());
  return space ? static_cast<int>(space.getValue()) : -1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

MlirAttribute mdhNumberAttrGet(MlirType type, intptr_t n, const uint64_t *words) {
  Type element = getElementTypeOrSelf(unwrap(type));
  APInt bits(64 * static_cast<unsigned>(n), ArrayRef(words, static_cast<size_t>(n)));
  TypedAttr number;
  if (auto real = dyn_cast<FloatType>(element))
    number = FloatAttr::get(real, APFloat(real.getFloatSemantics(), bits.trunc(real.getWidth())));
  else
    number = IntegerAttr::get(element, bits.sextOrTrunc(element.isIndex() ? 64 : element.getIntOrFloatBitWidth()));
  if (auto shaped = dyn_cast<ShapedType>(unwrap(type)))
    return wrap(Attribute(DenseElementsAttr::get(shaped, Attribute(number))));
  return wrap(Attribute(number));
}

MlirAttribute mdhConstantAttrGet(MlirContext context, MdhConstant constant) {
  MLIRContext *ctx = unwrap(context);
  switch (constant) {
  case MDH_WORKGROUP_MEMORY:
    return wrap(Attribute(gpu::AddressSpaceAttr::get(ctx, gpu::AddressSpace::Workgroup)));
  case MDH_PRIVATE_MEMORY:
    return wrap(Attribute(gpu::AddressSpaceAttr::get(ctx, gpu::AddressSpace::Private)));
  case MDH_SHUFFLE_UP:
    return wrap(Attribute(gpu::ShuffleModeAttr::get(ctx, gpu::ShuffleMode::UP)));
  case MDH_SHUFFLE_DOWN:
    return wrap(Attribute(gpu::ShuffleModeAttr::get(ctx, gpu::ShuffleMode::DOWN)));
  case MDH_CONTRACT:
    return wrap(Attribute(arith::FastMathFlagsAttr::get(ctx, arith::FastMathFlags::contract)));
  case MDH_COMBINE_OR:
    return wrap(Attribute(vector::CombiningKindAttr::get(ctx, vector::CombiningKind::OR)));
  case MDH_SPIRV_KERNELS: {
    auto version = spirv::VerCapExtAttr::get(spirv::Version::V_1_4, {spirv::Capability::Kernel},
                                             ArrayRef<spirv::Extension>(), ctx);
    return wrap(Attribute(spirv::TargetEnvAttr::get(version, spirv::getDefaultResourceLimits(ctx))));
  }
  case MDH_PARALLEL:
    return wrap(Attribute(linalg::IteratorTypeAttr::get(ctx, utils::IteratorType::parallel)));
  case MDH_REDUCTION:
    return wrap(Attribute(linalg::IteratorTypeAttr::get(ctx, utils::IteratorType::reduction)));
  }
}

MlirAttribute mdhLlvmUnrollAttrGet(MlirContext context, bool isFull, int32_t count) {
  Builder builder(unwrap(context));
  IntegerAttr times = isFull ? IntegerAttr() : builder.getI32IntegerAttr(count);
  BoolAttr full = isFull ? builder.getBoolAttr(true) : BoolAttr();
  auto unroll = LLVM::LoopUnrollAttr::get(unwrap(context), {}, times, {}, full, {}, {}, {});
  return wrap(Attribute(LLVM::LoopAnnotationAttr::get(unwrap(context), {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {},
                                                      {}, {}, {}, {})));
}
void mdhLlvmAliasScopes(MlirContext ctx, intptr_t n, MlirAttribute *scopes) {
  auto domain = LLVM::AliasScopeDomainAttr::get(unwrap(ctx));
  for (intptr_t i = 0; i < n; ++i)
    scopes[i] = wrap(Attribute(LLVM::AliasScopeAttr::get(domain)));
}
MlirAttribute mdhGpuSelectObjectAttrGet(MlirContext ctx, MlirAttribute target) {
  return wrap(Attribute(gpu::SelectObjectAttr::get(unwrap(ctx), unwrap(target))));
}
MlirAttribute mdhNvvmTargetAttrGet(MlirContext ctx, MlirStringRef chip) {
  return wrap(Attribute(NVVM::NVVMTargetAttr::get(unwrap(ctx), 2, "nvptx64-nvidia-cuda", unwrap(chip))));
}

//===----------------------------------------------------------------------===//
// DLTI
//===----------------------------------------------------------------------===//

static std::optional<ArrayRef<DataLayoutEntryInterface>>
dltiEntries(MlirAttribute attr) {
  using Entries = std::optional<ArrayRef<DataLayoutEntryInterface>>;
  return llvm::TypeSwitch<Attribute, Entries>(unwrap(attr))
      .Case<MapAttr, TargetDeviceSpecAttr, TargetSystemSpecAttr>(
          [](auto spec) { return Entries(spec.getEntries()); })
      .Default(Entries());
}

intptr_t mdhDltiGetNumEntries(MlirAttribute attr) {
  auto entries = dltiEntries(attr);
  return entries ? static_cast<intptr_t>(entries->size()) : -1;
}
MlirStringRef mdhDltiGetKey(MlirAttribute attr, intptr_t i) {
  auto key = dyn_cast<StringAttr>((*dltiEntries(attr))[i].getKey());
  return wrap(key ? key.getValue() : StringRef());
}
MlirAttribute mdhDltiGetValue(MlirAttribute attr, intptr_t i) {
  return wrap((*dltiEntries(attr))[i].getValue());
}
MlirAttribute mdhDltiSpecGet(MlirContext context, bool isSystem, intptr_t n,
                             const MlirStringRef *keys,
                             const MlirAttribute *values) {
  MLIRContext *ctx = unwrap(context);
  SmallVector<DataLayoutEntryInterface> entries;
  for (intptr_t i = 0; i < n; ++i)
    entries.push_back(DataLayoutEntryAttr::get(StringAttr::get(ctx, unwrap(keys[i])), unwrap(values[i])));
  ArrayRef<DataLayoutEntryInterface> list = entries;
  auto error = [&] { return emitError(UnknownLoc::get(ctx)); };
  if (isSystem)
    return wrap(Attribute(TargetSystemSpecAttr::getChecked(error, ctx, list)));
  return wrap(Attribute(TargetDeviceSpecAttr::getChecked(error, ctx, list)));
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

MlirValue mdhLinalgDecompose(MlirOperation op) {
  auto aggregated = dyn_cast<linalg::AggregatedOpInterface>(unwrap(op));
  if (!aggregated)
    return {nullptr};
  OpBuilder builder(unwrap(op));
  FailureOr<SmallVector<Value>> values = aggregated.decomposeOperation(builder);
  if (failed(values) || values->size() != 1)
    return {nullptr};
  return wrap(values->front());
}

//===----------------------------------------------------------------------===//
// Import of LLVM IR
//===----------------------------------------------------------------------===//

int64_t mdhLlvmArrayTypeGetNumElements(MlirType type) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(unwrap(type));
  return array ? static_cast<int64_t>(array.getNumElements()) : -1;
}
MlirAttribute mdhOperationGetProperties(MlirOperation op) {
  return wrap(unwrap(op)->getPropertiesAsAttribute());
}
MlirModule mdhImportLlvmModule(MlirContext ctx, void *module) {
  DialectRegistry registry;
  registerAllFromLLVMIRTranslations(registry);
  unwrap(ctx)->appendDialectRegistry(registry);
  unwrap(ctx)->loadAllAvailableDialects();
  std::unique_ptr<llvm::Module> owned(static_cast<llvm::Module *>(module));
  return wrap(translateLLVMIRToModule(std::move(owned), unwrap(ctx)).release());
}
