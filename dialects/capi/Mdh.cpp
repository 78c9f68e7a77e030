//===- Mdh.cpp - C API of the mdh dialect -------------------------------------===//
#include "capi/Mdh.h"
#include "MdhDialect.h"
#include "Verify.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/InitAllTranslations.h"

using namespace mlir;
using namespace mdh;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Mdh, mdh, ::mdh::MdhDialect)

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

bool mdhTypeIsScalar(MlirType type) { return isScalar(unwrap(type)); }
bool mlirTypeIsAMdhMda(MlirType type) { return isa<MdaType>(unwrap(type)); }
bool mlirTypeIsAMdhLoop(MlirType type) { return isa<LoopType>(unwrap(type)); }
MlirType mlirMdhMdaTypeGet(MlirContext ctx, intptr_t nExtents,
                           const int64_t *extents, intptr_t nScalars,
                           MlirType const *scalars) {
  SmallVector<int64_t> sizes(extents, extents + nExtents);
  for (int64_t &size : sizes)
    if (size < 0)
      size = ShapedType::kDynamic;
  SmallVector<Type> types;
  for (MlirType scalar : ArrayRef(scalars, static_cast<size_t>(nScalars)))
    types.push_back(unwrap(scalar));
  return wrap(Type(MdaType::get(unwrap(ctx), sizes, types)));
}
intptr_t mlirMdhMdaTypeGetNumExtents(MlirType type) {
  return cast<MdaType>(unwrap(type)).getExtents().size();
}
int64_t mlirMdhMdaTypeGetExtent(MlirType type, intptr_t i) {
  int64_t extent = cast<MdaType>(unwrap(type)).getExtents()[i];
  return ShapedType::isDynamic(extent) ? -1 : extent;
}
intptr_t mlirMdhMdaTypeGetNumScalars(MlirType type) {
  return cast<MdaType>(unwrap(type)).getScalars().size();
}
MlirType mlirMdhMdaTypeGetScalar(MlirType type, intptr_t i) {
  return wrap(cast<MdaType>(unwrap(type)).getScalars()[i]);
}

bool mlirAttributeIsAMdhTag(MlirAttribute attr) {
  return isa<TagAttr>(unwrap(attr));
}
MlirAttribute mlirMdhTagAttrGet(MlirContext ctx, MlirStringRef layer,
                                int64_t dimension) {
  return wrap(Attribute(TagAttr::get(unwrap(ctx), unwrap(layer), dimension)));
}
MlirStringRef mlirMdhTagAttrGetLayer(MlirAttribute attr) {
  return wrap(cast<TagAttr>(unwrap(attr)).getLayer());
}
int64_t mlirMdhTagAttrGetDimension(MlirAttribute attr) {
  return cast<TagAttr>(unwrap(attr)).getDimension();
}

MlirAttribute mlirMdhMemoryRoleAttrGet(MlirContext ctx, int32_t role) {
  return wrap(Attribute(MemoryRoleAttr::get(unwrap(ctx), static_cast<MemoryRole>(role))));
}
int32_t mlirMdhMemoryRoleAttrGetValue(MlirAttribute attr) {
  auto role = dyn_cast<MemoryRoleAttr>(unwrap(attr));
  return role ? static_cast<int32_t>(role.getValue()) : -1;
}
MlirAttribute mlirMdhCoreRoleAttrGet(MlirContext ctx, int32_t role) {
  return wrap(Attribute(CoreRoleAttr::get(unwrap(ctx), static_cast<CoreRole>(role))));
}
int32_t mlirMdhCoreRoleAttrGetValue(MlirAttribute attr) {
  auto role = dyn_cast<CoreRoleAttr>(unwrap(attr));
  return role ? static_cast<int32_t>(role.getValue()) : -1;
}

bool mlirAttributeIsAMdhPlacement(MlirAttribute attr) {
  return isa<PlacementAttr>(unwrap(attr));
}
MlirAttribute mlirMdhPlacementAttrGet(MlirContext ctx, MlirStringRef region,
                                      intptr_t rank, const int64_t *layout,
                                      int64_t pad, int64_t buffers) {
  return wrap(Attribute(PlacementAttr::get(
      unwrap(ctx), unwrap(region),
      ArrayRef(layout, static_cast<size_t>(rank)), pad, buffers)));
}
MlirStringRef mlirMdhPlacementAttrGetRegion(MlirAttribute attr) {
  return wrap(cast<PlacementAttr>(unwrap(attr)).getRegion());
}
intptr_t mlirMdhPlacementAttrGetRank(MlirAttribute attr) {
  return cast<PlacementAttr>(unwrap(attr)).getLayout().size();
}
int64_t mlirMdhPlacementAttrGetDimension(MlirAttribute attr, intptr_t i) {
  return cast<PlacementAttr>(unwrap(attr)).getLayout()[i];
}
int64_t mlirMdhPlacementAttrGetPad(MlirAttribute attr) {
  return cast<PlacementAttr>(unwrap(attr)).getPad();
}
int64_t mlirMdhPlacementAttrGetBuffers(MlirAttribute attr) {
  return cast<PlacementAttr>(unwrap(attr)).getBuffers();
}

bool mlirAttributeIsAMdhConcatenation(MlirAttribute attr) {
  return isa<ConcatenationAttr>(unwrap(attr));
}
bool mlirAttributeIsAMdhPointWise(MlirAttribute attr) {
  return isa<PointWiseAttr>(unwrap(attr));
}
bool mlirAttributeIsAMdhPrefixSum(MlirAttribute attr) {
  return isa<PrefixSumAttr>(unwrap(attr));
}
MlirAttribute mlirMdhConcatenationAttrGet(MlirContext ctx) {
  return wrap(Attribute(ConcatenationAttr::get(unwrap(ctx))));
}
MlirAttribute mlirMdhFunctionAttrGet(MlirContext ctx, bool isPointWise,
                                     intptr_t nKinds, const MdhKind *kinds,
                                     MlirAttribute symbol) {
  SmallVector<Kind> list;
  for (MdhKind kind : ArrayRef(kinds, static_cast<size_t>(nKinds)))
    list.push_back(static_cast<Kind>(kind));
  auto name = dyn_cast_or_null<FlatSymbolRefAttr>(unwrap(symbol));
  if (isPointWise)
    return wrap(Attribute(PointWiseAttr::get(unwrap(ctx), list, !name, name)));
  return wrap(Attribute(PrefixSumAttr::get(unwrap(ctx), list, !name, name)));
}
/// The kinds of a point-wise or prefix-sum operator.
static ArrayRef<Kind> kindsOf(MlirAttribute attr) {
  if (auto pointWise = dyn_cast<PointWiseAttr>(unwrap(attr)))
    return pointWise.getKinds();
  return cast<PrefixSumAttr>(unwrap(attr)).getKinds();
}
MlirAttribute mlirMdhFunctionAttrGetSymbol(MlirAttribute attr) {
  if (auto pointWise = dyn_cast<PointWiseAttr>(unwrap(attr)))
    return wrap(Attribute(pointWise.getSymbol()));
  return wrap(Attribute(cast<PrefixSumAttr>(unwrap(attr)).getSymbol()));
}
bool mlirMdhFunctionAttrIsList(MlirAttribute attr) {
  if (auto pointWise = dyn_cast<PointWiseAttr>(unwrap(attr)))
    return pointWise.getList();
  return cast<PrefixSumAttr>(unwrap(attr)).getList();
}
intptr_t mlirMdhFunctionAttrGetNumKinds(MlirAttribute attr) {
  return kindsOf(attr).size();
}
MdhKind mlirMdhFunctionAttrGetKind(MlirAttribute attr, intptr_t i) {
  static_assert(static_cast<int>(Kind::Add) == MDH_KIND_ADD &&
                static_cast<int>(Kind::Mul) == MDH_KIND_MUL &&
                static_cast<int>(Kind::Min) == MDH_KIND_MIN &&
                static_cast<int>(Kind::Max) == MDH_KIND_MAX &&
                static_cast<int>(Kind::And) == MDH_KIND_AND &&
                static_cast<int>(Kind::Or) == MDH_KIND_OR &&
                static_cast<int>(Kind::Xor) == MDH_KIND_XOR);
  return static_cast<MdhKind>(kindsOf(attr)[i]);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool mdhOperationIsCommutative(MlirOperation op) {
  return unwrap(op)->hasTrait<OpTrait::IsCommutative>();
}
MlirOperation mdhLookupSymbol(MlirOperation from, MlirStringRef symbol) {
  auto name = StringAttr::get(unwrap(from)->getContext(), unwrap(symbol));
  return wrap(SymbolTable::lookupNearestSymbolFrom(unwrap(from), name));
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void mdhEmit(MdhSeverity severity, MlirOperation op, MlirStringRef message,
             intptr_t nNotes, const MlirOperation *noteOps,
             const MlirStringRef *notes) {
  Operation *at = unwrap(op);
  InFlightDiagnostic diagnostic = severity == MDH_ERROR ? at->emitOpError()
                                  : severity == MDH_WARNING
                                      ? at->emitWarning()
                                      : at->emitRemark();
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < nNotes; ++i)
    diagnostic.attachNote(unwrap(noteOps[i])->getLoc()) << unwrap(notes[i]);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// A pass whose body and options are given at run time.
class ForeignPass : public Pass {
public:
  explicit ForeignPass(const MdhPassDesc *desc)
      : Pass(unwrap(desc->id),
             desc->opName.length
                 ? std::optional<StringRef>(unwrap(desc->opName))
                 : std::nullopt),
        desc(desc) {
    for (const MdhOptionDesc &o : ArrayRef(desc->options, desc->nOptions))
      addOption(o);
  }

  StringRef getName() const override { return unwrap(desc->name); }
  StringRef getArgument() const override { return unwrap(desc->argument); }
  StringRef getDescription() const override {
    return unwrap(desc->description);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    MlirDialectRegistry reg = wrap(&registry);
    for (MlirDialectHandle h :
         ArrayRef(desc->dependentDialects, desc->nDependentDialects))
      mlirDialectHandleInsertDialect(h, reg);
  }
  bool canScheduleOn(RegisteredOperationName opName) const override {
    return !desc->opName.length ||
           opName.getStringRef() == unwrap(desc->opName);
  }
  void runOnOperation() override {
    if (failed(unwrap(desc->run(wrap(getOperation()), {this}))))
      signalPassFailure();
  }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<ForeignPass>(desc);
  }

  struct AnyOption {
    std::unique_ptr<Option<bool>> b;
    std::unique_ptr<Option<int64_t>> i;
    std::unique_ptr<Option<std::string>> s;
  };
  std::vector<AnyOption> opts;

private:
  void addOption(const MdhOptionDesc &o) {
    StringRef name = unwrap(o.name), def = unwrap(o.defaultValue);
    llvm::cl::desc text(unwrap(o.description));
    AnyOption any;
    switch (o.kind) {
    case MDH_OPTION_BOOL:
      any.b = std::make_unique<Option<bool>>(*this, name, text,
                                             llvm::cl::init(def == "true"));
      break;
    case MDH_OPTION_INT: {
      int64_t v = 0;
      (void)def.getAsInteger(10, v);
      any.i = std::make_unique<Option<int64_t>>(*this, name, text,
                                                llvm::cl::init(v));
      break;
    }
    case MDH_OPTION_STRING:
      any.s = std::make_unique<Option<std::string>>(*this, name, text,
                                                    llvm::cl::init(def.str()));
      break;
    }
    opts.push_back(std::move(any));
  }

  const MdhPassDesc *desc;
};
} // namespace

static ForeignPass *unwrap(MdhPassRun run) {
  return static_cast<ForeignPass *>(run.ptr);
}

MlirPass mdhCreatePass(const MdhPassDesc *desc) {
  return wrap(static_cast<Pass *>(new ForeignPass(desc)));
}
void mdhRegisterPass(const MdhPassDesc *desc) {
  registerPass([=]() -> std::unique_ptr<Pass> {
    return std::make_unique<ForeignPass>(desc);
  });
}
void mdhRegisterPipeline(MlirStringRef argument, MlirStringRef description,
                         MdhExpandPipeline expand) {
  registerPassPipeline(
      unwrap(argument), unwrap(description),
      [expand](OpPassManager &pm, StringRef options,
               function_ref<LogicalResult(const Twine &)> error) {
        std::string text;
        auto take = [](MlirStringRef part, void *to) {
          *static_cast<std::string *>(to) = unwrap(part).str();
        };
        if (!expand(wrap(options), take, &text))
          return error(text);
        std::string message;
        llvm::raw_string_ostream stream(message);
        if (failed(parsePassPipeline(text, pm, stream)))
          return error(message);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

bool mdhPassRunGetBool(MdhPassRun run, intptr_t i) {
  return *unwrap(run)->opts[i].b;
}
int64_t mdhPassRunGetInt(MdhPassRun run, intptr_t i) {
  return *unwrap(run)->opts[i].i;
}
MlirStringRef mdhPassRunGetString(MdhPassRun run, intptr_t i) {
  return wrap(StringRef(unwrap(run)->opts[i].s->getValue()));
}

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

void mdhRegisterAllForOpt(MlirDialectRegistry registry) {
  registerAllGPUToLLVMIRTranslations(*unwrap(registry));
}
int mdhLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
int mdhReduceMain(int argc, char **argv, MlirContext context) {
  return asMainReturnCode(mlirReduceMain(argc, argv, *unwrap(context)));
}
int mdhTranslateMain(int argc, char **argv, MlirStringRef toolName) {
  registerAllTranslations();
  return asMainReturnCode(mlirTranslateMain(argc, argv, unwrap(toolName)));
}

void mdhRegisterDialect(MlirDialectRegistry registry) {
  mdhPluginRegisterDialect(unwrap(registry));
}
void mdhPluginRegisterDialect(void *cppDialectRegistry) {
  auto &registry = *static_cast<DialectRegistry *>(cppDialectRegistry);
  registry.insert<MdhDialect>();
  registerBufferization(registry);
  registerTiling(registry);
}
