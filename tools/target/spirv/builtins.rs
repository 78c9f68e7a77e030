//! Mathematical functions of kernels as OpenCL builtins.
use crate::llvm::calls;
use inkwell::module::Module;

/// Functions of the C library that are OpenCL builtins, for f64; the names for f32 have the suffix `f`.
const BUILTINS: [&str; 21] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "expm1",
    "fma", "log", "log1p", "sin", "sinh", "tan", "tanh",
];

/// Renames functions of the C library to OpenCL builtins: `erff` becomes `_Z3erff`, `erf` becomes `_Z3erfd`.
pub fn rename(module: &Module<'_>) {
    // Upstream's barrier is a fence for local memory only, but threads also exchange values through global memory.
    if let Some(barrier) = module.get_function("_Z7barrierj") {
        let both = module.get_context().i32_type().const_int(3, false);
        for call in calls(module, barrier) {
            call.set_operand(0, both);
        }
    }
    for function in module.get_functions().filter(|function| function.count_basic_blocks() == 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        let builtin = |wanted: &str| BUILTINS.iter().find(|known| **known == wanted);
        let (builtin, letter) = match (builtin(&name), name.strip_suffix('f').and_then(builtin)) {
            (Some(builtin), _) => (builtin, "d"),
            (None, Some(builtin)) => (builtin, "f"),
            _ => continue,
        };
        let letters = letter.repeat(function.count_params() as usize);
        function.as_global_value().set_name(&format!("_Z{}{builtin}{letters}", builtin.len()));
        // The calling convention SPIR_FUNC, by which LLVM recognizes a builtin.
        function.set_call_conventions(75);
    }
}
