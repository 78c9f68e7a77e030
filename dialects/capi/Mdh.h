//===- Mdh.h - C API of the mdh dialect ---------------------------------------===//
#ifndef MDH_CAPI_MDH_H
#define MDH_CAPI_MDH_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Mdh, mdh);

//===-- Types and attributes ------------------------------------------------===//

/// True if a scalar tuple may contain values of this type.
bool mdhTypeIsScalar(MlirType type);
bool mlirTypeIsAMdhMda(MlirType type);
bool mlirTypeIsAMdhLoop(MlirType type);
/// Builds an MDA type; a negative extent is dynamic.
MlirType mlirMdhMdaTypeGet(MlirContext ctx, intptr_t nExtents,
                           const int64_t *extents, intptr_t nScalars,
                           MlirType const *scalars);
intptr_t mlirMdhMdaTypeGetNumExtents(MlirType type);
/// The extent; -1 if it is dynamic.
int64_t mlirMdhMdaTypeGetExtent(MlirType type, intptr_t i);
intptr_t mlirMdhMdaTypeGetNumScalars(MlirType type);
MlirType mlirMdhMdaTypeGetScalar(MlirType type, intptr_t i);

bool mlirAttributeIsAMdhTag(MlirAttribute attr);
MlirAttribute mlirMdhTagAttrGet(MlirContext ctx, MlirStringRef layer,
                                int64_t dimension);
MlirStringRef mlirMdhTagAttrGetLayer(MlirAttribute attr);
int64_t mlirMdhTagAttrGetDimension(MlirAttribute attr);

/// Roles of layers by their enumeration values; the value of another attribute is -1.
MlirAttribute mlirMdhMemoryRoleAttrGet(MlirContext ctx, int32_t role);
int32_t mlirMdhMemoryRoleAttrGetValue(MlirAttribute attr);
MlirAttribute mlirMdhCoreRoleAttrGet(MlirContext ctx, int32_t role);
int32_t mlirMdhCoreRoleAttrGetValue(MlirAttribute attr);

bool mlirAttributeIsAMdhPlacement(MlirAttribute attr);
MlirAttribute mlirMdhPlacementAttrGet(MlirContext ctx, MlirStringRef region,
                                      intptr_t rank, const int64_t *layout,
                                      int64_t pad, int64_t buffers);
MlirStringRef mlirMdhPlacementAttrGetRegion(MlirAttribute attr);
intptr_t mlirMdhPlacementAttrGetRank(MlirAttribute attr);
int64_t mlirMdhPlacementAttrGetDimension(MlirAttribute attr, intptr_t i);
int64_t mlirMdhPlacementAttrGetPad(MlirAttribute attr);
int64_t mlirMdhPlacementAttrGetBuffers(MlirAttribute attr);

bool mlirAttributeIsAMdhConcatenation(MlirAttribute attr);
bool mlirAttributeIsAMdhPointWise(MlirAttribute attr);
bool mlirAttributeIsAMdhPrefixSum(MlirAttribute attr);
/// A built-in function of a point-wise or prefix-sum operator.
typedef enum MdhKind {
  MDH_KIND_ADD = 0,
  MDH_KIND_MUL = 1,
  MDH_KIND_MIN = 2,
  MDH_KIND_MAX = 3,
  MDH_KIND_AND = 4,
  MDH_KIND_OR = 5,
  MDH_KIND_XOR = 6,
} MdhKind;
MlirAttribute mlirMdhConcatenationAttrGet(MlirContext ctx);
/// Builds a point-wise or prefix-sum operator: of the symbol, or, if that is null, of one kind for each component.
MlirAttribute mlirMdhFunctionAttrGet(MlirContext ctx, bool isPointWise,
                                     intptr_t nKinds, const MdhKind *kinds,
                                     MlirAttribute symbol);
/// The symbol of a point-wise or prefix-sum operator; null if it has kinds.
MlirAttribute mlirMdhFunctionAttrGetSymbol(MlirAttribute attr);
/// True if the kinds are a list, one for each component; otherwise one kind combines all components.
bool mlirMdhFunctionAttrIsList(MlirAttribute attr);
intptr_t mlirMdhFunctionAttrGetNumKinds(MlirAttribute attr);
MdhKind mlirMdhFunctionAttrGetKind(MlirAttribute attr, intptr_t i);

//===-- Operations ----------------------------------------------------------===//

/// True if an operation has the trait `IsCommutative`.
bool mdhOperationIsCommutative(MlirOperation op);
/// The operation that a symbol names in the nearest symbol table, or null. Searches without building a symbol table,
/// which would take longer than the look-up.
MlirOperation mdhLookupSymbol(MlirOperation from, MlirStringRef symbol);

/// Clones an operation with some of the values that it uses replaced.
MlirOperation mdhOperationCloneMapped(MlirOperation op, intptr_t n,
                                      const MlirValue *from,
                                      const MlirValue *to);
/// Removes an operation from its block. The operation and those nested in it stay allocated, without operands.
void mdhOperationDetach(MlirOperation op);
/// Moves an argument from a block to a new one, which is returned. The caller records that the former block owns the
/// argument.
MlirBlock mdhBlockDetachArgument(MlirBlock block, intptr_t index);
/// Destroys detached operations and blocks, except those whose values still have uses; returns the number of the
/// latter.
intptr_t mdhDestroyDetached(intptr_t nOps, const MlirOperation *ops,
                            intptr_t nBlocks, const MlirBlock *blocks);

//===-- Diagnostics ---------------------------------------------------------===//
// MLIR's C API cannot emit op errors (with the prefix of the operation) or attach notes.

typedef enum MdhSeverity {
  MDH_ERROR = 0,
  MDH_WARNING = 1,
  MDH_REMARK = 2,
} MdhSeverity;

/// Emits a diagnostic at an operation, with a note at each of `nNotes` others.
void mdhEmit(MdhSeverity severity, MlirOperation op, MlirStringRef message,
             intptr_t nNotes, const MlirOperation *noteOps,
             const MlirStringRef *notes);

//===-- Passes --------------------------------------------------------------===//
// LLVM 22's C API can create an external pass, but can neither register one in
// the global registry nor give it options.

typedef enum MdhOptionKind {
  MDH_OPTION_BOOL = 0,
  MDH_OPTION_INT = 1,
  MDH_OPTION_STRING = 2,
} MdhOptionKind;

typedef struct MdhOptionDesc {
  MdhOptionKind kind;
  MlirStringRef name;
  MlirStringRef description;
  MlirStringRef defaultValue;
} MdhOptionDesc;

/// A running pass, from which its options are read.
typedef struct MdhPassRun {
  void *ptr;
} MdhPassRun;

typedef struct MdhPassDesc {
  MlirTypeID id;
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  /// The operation that the pass runs on; empty for any.
  MlirStringRef opName;
  intptr_t nDependentDialects;
  const MlirDialectHandle *dependentDialects;
  intptr_t nOptions;
  const MdhOptionDesc *options;
  MlirLogicalResult (*run)(MlirOperation op, MdhPassRun run);
} MdhPassDesc;

/// `desc` must live as long as the process.
MlirPass mdhCreatePass(const MdhPassDesc *desc);
/// Registers the pass in the global registry, so that a pipeline can name it.
void mdhRegisterPass(const MdhPassDesc *desc);

/// Passes the pipeline text for the given options to `take` and returns true; on failure, passes a message and returns
/// false.
typedef bool (*MdhExpandPipeline)(MlirStringRef options,
                                  MlirStringCallback take, void *userData);
/// Registers a module pipeline that `expand` turns into the text of a pass pipeline.
void mdhRegisterPipeline(MlirStringRef argument, MlirStringRef description,
                         MdhExpandPipeline expand);

bool mdhPassRunGetBool(MdhPassRun run, intptr_t option);
int64_t mdhPassRunGetInt(MdhPassRun run, intptr_t option);
MlirStringRef mdhPassRunGetString(MdhPassRun run, intptr_t option);

//===-- Tools ---------------------------------------------------------------===//

/// Registers what mlir-opt registers in addition to all dialects, passes and extensions.
void mdhRegisterAllForOpt(MlirDialectRegistry registry);
/// Returns true if a tool should process a source, given its name and a context; reports an error otherwise.
typedef bool (*MdhAcceptSource)(MlirStringRef name, MlirStringRef source,
                                MlirContext context);
int mdhOptMain(int argc, char **argv, MlirStringRef toolName,
               MlirDialectRegistry registry, MdhAcceptSource accept);
/// True if no operation of a program in bytecode is nested in more than `most` levels (the outermost has level 1), or
/// if the bytecode cannot be read.
bool mdhBytecodeNestsAtMost(MlirContext context, MlirStringRef source,
                            intptr_t most);
int mdhLspServerMain(int argc, char **argv, MlirDialectRegistry registry);
int mdhReduceMain(int argc, char **argv, MlirContext context);
int mdhTranslateMain(int argc, char **argv, MlirStringRef toolName);

/// Registers the dialect, its bufferization, and all of its passes and pipelines (for programs that link the library).
void mdhRegisterDialect(MlirDialectRegistry registry);
void mdhRegisterAllPasses(void);

/// For a dialect plugin: registers mdh in the host's C++ `DialectRegistry *`.
void mdhPluginRegisterDialect(void *cppDialectRegistry);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_MDH_H
