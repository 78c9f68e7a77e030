//! Modules from text and bytecode.
use melior::{Context, StringRef, ir::Module};
use mlir_sys::*;

/// Parses and verifies a module, in text or bytecode. `None` on failure, which is reported as diagnostics.
pub fn parse_module<'c>(context: &'c Context, source: &[u8]) -> Option<Module<'c>> {
    // MLIR requires a zero byte after the source.
    let source: Vec<u8> = source.iter().copied().chain([0]).collect();
    let text = MlirStringRef { data: source.as_ptr().cast(), length: source.len() - 1 };
    // SAFETY: the context is valid, the text lives until the call returns, and the returned module is owned here and
    // does not outlive the context.
    unsafe { Module::from_option_raw(mlirModuleCreateParse(context.to_raw(), text)) }
}

/// Parses and verifies a module from a file, whose name becomes part of its locations. `None` on failure, which is
/// reported as diagnostics.
pub fn read_module<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    // SAFETY: as for `parse_module`.
    unsafe { Module::from_option_raw(mlirModuleCreateParseFromFile(context.to_raw(), StringRef::new(path).to_raw())) }
}
