//! The upstream passes around ours, as pipeline text.

/// Tensors to memrefs, across functions; returned buffers belong to the caller.
pub const BUFFERIZE: &str = "mdh-function-interfaces,mdh-sink-views,convert-tensor-to-linalg,\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map \
    unknown-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},canonicalize,cse";

/// Frees the buffers that bufferization has allocated and that no caller gets.
///
/// There must be no `omp.wsloop` yet: the first pass puts constants in every block, and a loop wrapper holds nothing but its loop.
const DEALLOCATE: &str = "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,\
    bufferization-lower-deallocations,cse,canonicalize,mdh-return-in-place";

/// As `DEALLOCATE` says.
pub fn deallocate(target: &str) -> String {
    if target == "cpu" {
        DEALLOCATE.to_owned()
    } else {
        format!("mdh-launches-to-calls,{DEALLOCATE},mdh-calls-to-launches")
    }
}

/// Parallel loops to OpenMP; the alloca scopes around their bodies disappear by canonicalization.
pub const OPENMP: &str = "scf-forall-to-parallel,convert-scf-to-openmp,canonicalize";

/// Kernels apart from host code, after what they take and leave has been kept on the device. Constants go into kernels first, so that they are no arguments. What a thread does in any order, it does
/// in one: kernels have no OpenMP.
pub fn kernels(target: &str) -> String {
    // Compilers of OpenCL make loops over the threads of a block, and unroll by themselves what they like.
    let special = if target == "opencl" { "mdh-opencl-memory," } else { "mdh-unroll-reductions," };
    format!(
        "mdh-device-buffers,gpu-launch-sink-index-computations,mdh-kernel-arguments{{target={target}}},gpu-kernel-outlining,\
         gpu.module(gpu.func(scf-forall-to-for,scf-parallel-for-to-nested-fors)),mdh-kernel-attributes{{target={target}}},{special}canonicalize,cse"
    )
}

/// Everything else to the LLVM dialect.
///
/// Functions on bf16 become functions on f32 before arithmetic on bf16 does, which comes before its casts become integer
/// arithmetic: targets and C libraries lack bf16. Strided memrefs leave affine arithmetic, so `lower-affine` runs twice. Vectors
/// go before branches do: upstream's pass for vectors fails on some that pass indices.
///
/// On the host, functions become arithmetic, unless they must be those of the C library (`strict`).
///
/// Kernels are converted before the host is, which gets the asynchronous form, the only one that upstream converts to calls. Functions
/// in kernels become calls of CUDA's libdevice; for OpenCL they become intrinsics and calls of C functions, which OpenCL has builtins
/// for. The conversion for OpenCL does not know branches, which are made later, and SPIR-V cannot say which products and sums may be rounded once: they are
/// fused before.
pub fn to_llvm(target: &str, strict: bool) -> String {
    let math = match target {
        "cuda" => {
            format!(
                "{BF16},gpu.module(convert-scf-to-cf,convert-nvgpu-to-nvvm,convert-gpu-to-nvvm{{index-bitwidth=64}},{REST}),mdh-math-calls,{MATH}"
            )
        }
        "opencl" => format!(
            "{BF16},mdh-math-calls,gpu.module(math-uplift-to-fma,convert-math-to-llvm),{MATH},\
             gpu.module(convert-gpu-to-llvm-spv{{use-64bit-index=true}})"
        ),
        _ => {
            let functions = if strict { "" } else { "mdh-math-functions," };
            format!("{functions}mdh-math-calls,{MATH},{BF16}")
        }
    };
    let (asynchronous, calls) =
        if target == "cpu" { ("", "") } else { ("func.func(gpu-async-region),", "gpu-to-llvm,") };
    format!(
        "{asynchronous}convert-bufferization-to-memref,mdh-legalize,convert-linalg-to-loops,lower-affine,\
         func.func(lower-vector-multi-reduction,lower-vector-mask),convert-vector-to-scf,expand-strided-metadata,lower-affine,\
         math-extend-to-supported-types{{extra-types=f16 target-type=f32}},{math},\
         convert-vector-to-llvm,convert-scf-to-cf,convert-openmp-to-llvm,convert-ub-to-llvm,convert-index-to-llvm,\
         convert-arith-to-llvm,{calls}finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
         reconcile-unrealized-casts,mdh-bf16-memory,canonicalize,cse,mdh-alias-scopes,mdh-loop-annotations,mdh-stream-fences"
    )
}

const MATH: &str = "convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm";

const BF16: &str = "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},mdh-keep-roundings,\
    arith-expand{include-bf16=true},canonicalize,cse";

/// What conversions of kernels leave over.
const REST: &str =
    "convert-vector-to-llvm,convert-ub-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,reconcile-unrealized-casts";
