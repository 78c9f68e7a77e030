//! The upstream passes around ours, as pipeline text. What changes a single function runs on each by itself (`any`), so on several at once.
use super::{KernelFlavour, Target};

/// Tensors to memrefs, across functions; returned buffers belong to the caller.
pub const BUFFERIZE: &str = "mdh-function-interfaces,any(mdh-sink-views),convert-tensor-to-linalg,\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map \
    unknown-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},any(canonicalize,cse)";

/// Frees the buffers that bufferization has allocated and that no caller gets.
///
/// There must be no `omp.wsloop` yet: the first pass puts constants in every block, and a loop wrapper holds nothing but its loop.
const DEALLOCATE: &str = "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,\
    bufferization-lower-deallocations,cse,canonicalize,mdh-return-in-place";

/// As `DEALLOCATE` says.
pub fn deallocate(target: &Target) -> String {
    match target.kernels {
        None => DEALLOCATE.to_owned(),
        Some(_) => format!("mdh-launches-to-calls,{DEALLOCATE},mdh-calls-to-launches"),
    }
}

/// Parallel loops to OpenMP; the alloca scopes around their bodies disappear by canonicalization.
pub const OPENMP: &str = "scf-forall-to-parallel,convert-scf-to-openmp,canonicalize";

/// Kernels of a target apart from host code, after what they take and leave has been kept on the device. Constants go into kernels first, so
/// that they are no arguments. What a thread does in any order, it does in one: kernels have no OpenMP.
pub fn kernels(target: &str, flavour: &KernelFlavour) -> String {
    let own = flavour.passes.join(",");
    format!(
        "mdh-device-buffers,gpu-launch-sink-index-computations,mdh-kernel-arguments{{target={target}}},gpu-kernel-outlining,\
         gpu.module(gpu.func(scf-forall-to-for,scf-parallel-for-to-nested-fors)),mdh-kernel-attributes{{target={target}}},{own},canonicalize,cse"
    )
}

/// Everything else to the LLVM dialect.
///
/// Functions on bf16 become functions on f32 before arithmetic on bf16 does, which comes before its casts become integer
/// arithmetic: targets and C libraries lack bf16. Strided memrefs leave affine arithmetic, so `lower-affine` runs twice. Vectors
/// go before branches do: upstream's pass for vectors fails on some that pass indices.
///
/// Kernels are converted before the host is, which gets the asynchronous form, the only one that upstream converts to calls.
pub fn to_llvm(target: &Target, strict: bool) -> String {
    let functions = if strict { &[] } else { target.functions };
    let own: Vec<_> = functions.iter().chain(target.conversions).copied().collect();
    let own = own.join(",");
    let (asynchronous, calls) = match target.kernels {
        None => ("", ""),
        Some(_) => ("func.func(gpu-async-region),", "gpu-to-llvm,"),
    };
    format!(
        "{asynchronous}convert-bufferization-to-memref,any(mdh-legalize,convert-linalg-to-loops,lower-affine),\
         func.func(lower-vector-multi-reduction,lower-vector-mask),any(convert-vector-to-scf,expand-strided-metadata,lower-affine,\
         math-extend-to-supported-types{{extra-types=f16 target-type=f32}}),{own},\
         any(convert-vector-to-llvm,convert-scf-to-cf),convert-openmp-to-llvm,any(convert-ub-to-llvm,convert-index-to-llvm,\
         convert-arith-to-llvm),{calls}finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
         any(reconcile-unrealized-casts,mdh-bf16-memory,canonicalize,cse,mdh-alias-scopes,mdh-loop-annotations,mdh-stream-fences)"
    )
}

/// Functions of `math` that have no other form to calls.
pub(super) const MATH: &str = "convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm";

/// Arithmetic on bf16 to arithmetic on f32 and on integers.
pub(super) const BF16: &str = "any(arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},mdh-keep-roundings,\
    arith-expand{include-bf16=true},canonicalize,cse)";
