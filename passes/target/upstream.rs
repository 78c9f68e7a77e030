//! The upstream passes around ours, as pipeline text. Passes that change only a function are nested with `any`, so that
//! they run on several functions in parallel.
use super::{KernelFlavour, Target};

/// Upstream's canonicalization without the patterns that change results or fail (`docs/rationale.md`). The names of patterns
/// depend on the compiler of MLIR: Clang and GCC print an unnamed namespace differently.
macro_rules! canonicalize {
    () => {
        "canonicalize{disable-patterns={(anonymous namespace)::IndexCastOfIndexCast,\
         (anonymous namespace)::IndexCastUIOfIndexCastUI,(anonymous namespace)::SubViewOpMemRefCastFolder,\
         (anonymous namespace)::WhileMoveIfDown,CollapseShapeOpMemRefCastFolder,\
         {anonymous}::IndexCastOfIndexCast,{anonymous}::IndexCastUIOfIndexCastUI,\
         {anonymous}::SubViewOpMemRefCastFolder,{anonymous}::WhileMoveIfDown}}"
    };
}

/// Canonicalization of operations, on any operation.
pub const CANONICALIZE: &str = canonicalize!();

/// Operations on the elements of tensors, such as `arith.addf` on tensors, to `linalg`.
pub const ELEMENTWISE: &str = "any(mdh-map-elementwise,convert-elementwise-to-linalg)";

/// Bufferizes tensors across functions; returned buffers are owned by the caller.
pub const BUFFERIZE: &str = concat!(
    "mdh-function-interfaces,mdh-empty-constants,any(mdh-sink-views,mdh-split-rank-reductions),convert-tensor-to-linalg,\
     any(mdh-preserve-outputs),\
     one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map \
     unknown-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},any(",
    canonicalize!(),
    ",cse)"
);

/// Frees the buffers that bufferization has allocated and that are not returned to a caller.
///
/// Must run before there is an `omp.wsloop`: the first pass inserts constants in every block, and a loop wrapper must
/// contain only its loop.
const DEALLOCATE: &str = concat!(
    "any(mdh-manual-deallocation),ownership-based-buffer-deallocation,",
    canonicalize!(),
    ",buffer-deallocation-simplification,bufferization-lower-deallocations,cse,",
    canonicalize!(),
    ",mdh-return-in-place"
);

/// The pipeline `DEALLOCATE`; with kernels, launches are calls while it runs.
pub fn deallocate(target: &Target) -> String {
    match target.kernels {
        None => DEALLOCATE.to_owned(),
        Some(_) => {
            format!(
                "mdh-launches-to-calls,{DEALLOCATE},mdh-calls-to-launches,mdh-device-memory{{deallocated=true}},\
                 mdh-device-constants"
            )
        }
    }
}

/// Converts parallel loops to OpenMP; canonicalization removes the alloca scopes around their bodies.
pub const OPENMP: &str = concat!("scf-forall-to-parallel,convert-scf-to-openmp,mdh-stack-buffers,", canonicalize!());

/// Outlines the kernels of a target from host code, after buffers that several kernels use have been kept on the
/// device. Constants are sunk into kernels first, so that they are not arguments. Parallel loops inside of a thread
/// become sequential: kernels have no OpenMP.
pub fn kernels(target: &str, flavour: &KernelFlavour) -> String {
    let own = flavour.passes.join(",");
    format!(
        "mdh-device-memory,mdh-device-buffers,gpu-launch-sink-index-computations,mdh-kernel-arguments{{target={target}}},gpu-kernel-outlining,\
         gpu.module(gpu.func(scf-forall-to-for,scf-parallel-for-to-nested-fors)),mdh-kernel-attributes{{target={target}}},{own},{CANONICALIZE},cse"
    )
}

/// Lowers everything else to the LLVM dialect.
///
/// Functions on bf16 are extended to f32 before arithmetic on bf16 is, which in turn is extended before its casts are
/// expanded to integer arithmetic: targets and C libraries lack bf16. Strided memrefs leave affine arithmetic, so
/// `lower-affine` runs twice. Vectors are lowered before branches: upstream's pass for vectors fails on some branches
/// that pass indices.
///
/// Divisions are guarded when all of those of the program are operations of `arith`, and before upstream expands those that
/// round up or down. Accesses are checked when all of them are
/// those of memrefs and vectors, and nothing else has become of views yet.
///
/// Kernels are converted before the host code, which is converted to asynchronous form, the only form that upstream
/// lowers to calls.
pub fn to_llvm(target: &Target, strict: bool, check_accesses: bool) -> String {
    let functions = if strict { &[] } else { target.functions };
    let own: Vec<_> = functions.iter().chain(target.conversions).copied().collect();
    let own = own.join(",");
    let (asynchronous, calls) = match target.kernels {
        None => ("", ""),
        Some(_) => ("func.func(gpu-async-region),", "gpu-to-llvm,"),
    };
    let checks = if check_accesses { "mdh-check-accesses," } else { "" };
    format!(
        "{asynchronous}convert-bufferization-to-memref,any(mdh-expand-copies,mdh-legalize,convert-linalg-to-loops,lower-affine),\
         func.func(lower-vector-multi-reduction,lower-vector-mask),any(convert-vector-to-scf,{checks}mdh-reinterpret-expansions,expand-strided-metadata,lower-affine,\
         math-extend-to-supported-types{{extra-types=f16 target-type=f32}},mdh-guard-divisions,mdh-guard-allocations),{own},\
         any(convert-vector-to-llvm,mdh-expand-copies,convert-scf-to-cf),convert-openmp-to-llvm,any(convert-ub-to-llvm,convert-index-to-llvm,\
         convert-arith-to-llvm),{calls}finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
         any(reconcile-unrealized-casts,mdh-bf16-memory,{CANONICALIZE},cse,mdh-alias-scopes,mdh-loop-annotations,mdh-stream-fences)"
    )
}

/// Functions of `math` without another lowering to calls.
pub(super) const MATH: &str = "convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm";

/// Arithmetic on bf16 to arithmetic on f32 and on integers.
pub(super) const BF16: &str = concat!(
    "any(arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},mdh-strict-rounding,\
     arith-expand{include-bf16=true},",
    canonicalize!(),
    ",cse)"
);
