//! The upstream passes around ours, as pipeline text.

/// Tensors to memrefs, across functions; returned buffers belong to the caller.
pub const BUFFERIZE: &str = "mdh-function-interfaces,convert-tensor-to-linalg,\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map \
    unknown-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},canonicalize,cse";

/// Frees the buffers that bufferization has allocated and that no caller gets.
///
/// There must be no `omp.wsloop` yet: the first pass puts constants in every block, and a loop wrapper holds nothing but its loop.
pub const DEALLOCATE: &str = "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,\
    bufferization-lower-deallocations,cse,canonicalize";

/// Parallel loops to OpenMP; the alloca scopes around their bodies disappear by canonicalization.
pub const OPENMP: &str = "scf-forall-to-parallel,convert-scf-to-openmp,canonicalize";

/// Everything else to the LLVM dialect.
///
/// Functions on bf16 become functions on f32 before arithmetic on bf16 does, which comes before its casts become integer
/// arithmetic: targets and C libraries lack bf16. Strided memrefs leave affine arithmetic, so `lower-affine` runs twice. Vectors
/// go before branches do: upstream's pass for vectors fails on some that pass indices.
pub const TO_LLVM: &str = "convert-bufferization-to-memref,mdh-legalize,convert-linalg-to-loops,lower-affine,\
    func.func(lower-vector-multi-reduction,lower-vector-mask),convert-vector-to-scf,expand-strided-metadata,lower-affine,\
    math-extend-to-supported-types{extra-types=f16 target-type=f32},math-expand-ops{ops=clampf},convert-math-to-funcs,\
    convert-math-to-llvm,convert-math-to-libm,arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},\
    mdh-keep-roundings,arith-expand{include-bf16=true},canonicalize,cse,convert-vector-to-llvm,convert-scf-to-cf,\
    convert-openmp-to-llvm,convert-ub-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,\
    convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts,mdh-bf16-memory,canonicalize,cse,mdh-alias-scopes,\
    mdh-loop-annotations,mdh-stream-fences";
