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

/// Whether a scalar tuple may hold values of this type.
bool mdhTypeIsScalar(MlirType type);
bool mlirTypeIsAMdhMda(MlirType type);
/// An MDA type; a negative extent is a dynamic one.
MlirType mlirMdhMdaTypeGet(MlirContext ctx, intptr_t nExtents,
                           const int64_t *extents, intptr_t nScalars,
                           MlirType const *scalars);
intptr_t mlirMdhMdaTypeGetNumExtents(MlirType type);
/// The extent, or -1 where it is dynamic.
int64_t mlirMdhMdaTypeGetExtent(MlirType type, intptr_t i);
intptr_t mlirMdhMdaTypeGetNumScalars(MlirType type);
MlirType mlirMdhMdaTypeGetScalar(MlirType type, intptr_t i);

bool mlirAttributeIsAMdhTag(MlirAttribute attr);
MlirAttribute mlirMdhTagAttrGet(MlirContext ctx, MlirStringRef layer,
                                int64_t dimension);
MlirStringRef mlirMdhTagAttrGetLayer(MlirAttribute attr);
int64_t mlirMdhTagAttrGetDimension(MlirAttribute attr);

/// Roles of layers by their numbers in the enumerations; -1 is the number of another attribute.
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
/// A point-wise operator, or a prefix sum, of a symbol, or of a kind for each
/// component where that is null.
MlirAttribute mlirMdhFunctionAttrGet(MlirContext ctx, bool isPointWise,
                                     intptr_t nKinds, const MdhKind *kinds,
                                     MlirAttribute symbol);
/// The symbol of a point-wise or prefix-sum operator; null where it has kinds.
MlirAttribute mlirMdhFunctionAttrGetSymbol(MlirAttribute attr);
/// Whether the kinds are a list, one for each component; else one kind combines
/// all of them.
bool mlirMdhFunctionAttrIsList(MlirAttribute attr);
intptr_t mlirMdhFunctionAttrGetNumKinds(MlirAttribute attr);
MdhKind mlirMdhFunctionAttrGetKind(MlirAttribute attr, intptr_t i);

//===-- Operations ----------------------------------------------------------===//

/// Whether an operation has the trait of commutative ones.
bool mdhOperationIsCommutative(MlirOperation op);
/// The operation that a symbol names in the nearest symbol table, or null. It
/// makes no table, which takes longer than a look-up.
MlirOperation mdhLookupSymbol(MlirOperation from, MlirStringRef symbol);

/// Copies an operation with other values in place of some that it uses.
MlirOperation mdhOperationCloneMapped(MlirOperation op, intptr_t n,
                                      const MlirValue *from,
                                      const MlirValue *to);
/// Takes an operation out of its block. It stays allocated, without operands,
/// as do the operations inside of it.
void mdhOperationDetach(MlirOperation op);
/// Takes an argument out of a block; returns a new block that holds it. What
/// says its owner is the former block.
MlirBlock mdhBlockDetachArgument(MlirBlock block, intptr_t index);
/// Destroys what was detached, but for what has values that others still use;
/// returns how many of those there are.
intptr_t mdhDestroyDetached(intptr_t nOps, const MlirOperation *ops,
                            intptr_t nBlocks, const MlirBlock *blocks);

//===-- Diagnostics ---------------------------------------------------------===//
// The C API of MLIR has neither the prefix of an operation nor notes.

typedef enum MdhSeverity {
  MDH_ERROR = 0,
  MDH_WARNING = 1,
  MDH_REMARK = 2,
} MdhSeverity;

/// Reports at an operation, with a note at each of `nNotes` others.
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

/// A pass that runs; it has the options.
typedef struct MdhPassRun {
  void *ptr;
} MdhPassRun;

typedef struct MdhPassDesc {
  MlirTypeID id;
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  /// The operation that it runs on, or empty.
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

/// Gives `take` the text of a pipeline for the text of its options and returns
/// true, or a message and false.
typedef bool (*MdhExpandPipeline)(MlirStringRef options,
                                  MlirStringCallback take, void *userData);
/// Registers a pipeline for modules that `expand` turns into the text of passes.
void mdhRegisterPipeline(MlirStringRef argument, MlirStringRef description,
                         MdhExpandPipeline expand);

bool mdhPassRunGetBool(MdhPassRun run, intptr_t option);
int64_t mdhPassRunGetInt(MdhPassRun run, intptr_t option);
MlirStringRef mdhPassRunGetString(MdhPassRun run, intptr_t option);

//===-- Tools ---------------------------------------------------------------===//

/// What mlir-opt registers besides all dialects, passes and extensions.
void mdhRegisterAllForOpt(MlirDialectRegistry registry);
/// Whether a tool goes on with a source, given its name and a context for it;
/// says why if not.
typedef bool (*MdhAcceptSource)(MlirStringRef name, MlirStringRef source,
                                MlirContext context);
int mdhOptMain(int argc, char **argv, MlirStringRef toolName,
               MlirDialectRegistry registry, MdhAcceptSource accept);
/// Whether no operation of a program in bytecode is in more than `most` others;
/// also true where it cannot be read.
bool mdhBytecodeNestsAtMost(MlirContext context, MlirStringRef source,
                            intptr_t most);
int mdhLspServerMain(int argc, char **argv, MlirDialectRegistry registry);
int mdhReduceMain(int argc, char **argv, MlirContext context);
int mdhTranslateMain(int argc, char **argv, MlirStringRef toolName);

/// Registers the dialect, how it is bufferized, and all of its passes and
/// pipelines (for programs that link the library).
void mdhRegisterDialect(MlirDialectRegistry registry);
void mdhRegisterAllPasses(void);

/// For a dialect plugin: registers mdh in the host's C++ `DialectRegistry *`.
void mdhPluginRegisterDialect(void *cppDialectRegistry);

#ifdef __cplusplus
}
#endif

#endif // MDH_CAPI_MDH_H
