//! The names of functions that generated code calls. A program function with one of these names would be called
//! instead.
use crate::target::KernelFlavour;

/// Functions that lowering calls for memory and for failed assertions, except those covered by the prefixes.
const LIBRARY: &[&str] = &[
    "malloc",
    "free",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memcpy",
    "memmove",
    "memset",
    "memrefCopy",
    "abort",
    "puts",
    "printf",
];

/// Reserved prefixes, in addition to those of the run-time libraries of targets: intrinsics, OpenMP's run-time library,
/// wrappers of the C interface, and compiler-support functions that math is lowered to.
const PREFIXES: &[&str] = &[
    "llvm.", "__kmpc_", "omp_", "mgpu", "_mlir_", "__mlir_", "__trunc", "__extend", "__fix", "__float", "__udiv",
    "__div", "__umod", "__mod", "__mul", "__ashl", "__ashr", "__lshr", "__gnu_",
];

/// Functions that math is lowered to, in double precision; the suffix `f` gives the single-precision function.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "pow",
    "rint",
    "round",
    "roundeven",
    "rsqrt",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

/// True if generated code may call a function of this name.
pub fn is_reserved(name: &str) -> bool {
    // LLVM also treats the bare name as one of its functions.
    name == "llvm"
        || LIBRARY.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || KernelFlavour::all().any(|kernels| name.starts_with(kernels.entry_points))
        || MATH.contains(&name)
        || name.strip_suffix('f').is_some_and(|name| MATH.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_are_free() {
        for name in ["main", "mdh_entry", "matmul", "f", "freed", "memory", "exponential", "sinff", "omp", "map"] {
            assert!(!is_reserved(name), "{name}");
        }
        for name in [
            "malloc",
            "free",
            "llvm.trap",
            "memcpy",
            "sinf",
            "exp",
            "__kmpc_fork_call",
            "_mlir_ciface_f",
            "__truncdfhf2",
            "__udivti3",
            "llvm",
        ] {
            assert!(is_reserved(name), "{name}");
        }
    }
}
