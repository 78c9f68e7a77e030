//! The upstream passes around ours, as pipeline text.

/// Tensors to memrefs, across functions; returned buffers belong to the caller.
pub const BUFFERIZE: &str = "one-shot-bufferize{bufferize-function-boundaries=true \
    function-boundary-type-conversion=identity-layout-map},canonicalize,cse";

/// Frees the buffers that bufferization has allocated and that no caller gets.
pub const DEALLOCATE: &str = "convert-linalg-to-loops,func.func(ownership-based-buffer-deallocation),canonicalize,\
    buffer-deallocation-simplification,bufferization-lower-deallocations,cse,canonicalize";

/// Parallel loops to OpenMP; the alloca scopes around their bodies disappear by canonicalization.
pub const OPENMP: &str = "convert-scf-to-openmp,canonicalize";

/// Everything else to the LLVM dialect.
pub const TO_LLVM: &str = "func.func(llvm-request-c-wrappers),lower-affine,expand-strided-metadata,lower-affine,\
    math-expand-ops{ops=ctlz},convert-math-to-llvm,convert-math-to-libm,arith-expand{include-bf16=false},\
    convert-scf-to-cf,convert-vector-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,\
    finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-openmp-to-llvm,convert-ub-to-llvm,\
    reconcile-unrealized-casts,canonicalize,cse";
