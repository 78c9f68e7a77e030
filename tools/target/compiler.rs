//! The interface of compilers from LLVM IR to device code.
use anyhow::{Result, anyhow};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
};
use mdh_dialects::ir::{Builder, Op};
use melior::ir::Attribute;

/// Compiled kernels.
pub struct Code {
    /// The code that is loaded: PTX text, or a SPIR-V binary.
    pub code: Vec<u8>,
    /// The same code as readable text.
    pub text: String,
}

/// A compiler of kernels to one form of code.
pub trait Compiler {
    /// LLVM's target machine.
    fn machine(&self) -> &TargetMachine;

    /// The target architecture, if the target has several.
    fn architecture(&self) -> Option<&str> {
        None
    }

    /// Changes a kernel, a function of the LLVM dialect, before it is translated.
    fn prepare(&self, _kernel: Op<'_>) {}

    /// Resolves functions that kernels call: links their bodies, or renames them to the device's names.
    fn resolve<'l>(&self, module: &Module<'l>, context: &'l Context) -> Result<()>;

    /// Optimizes the module of all kernels.
    fn optimize(&self, module: &Module<'_>) -> Result<()>;

    /// Emits the code of the module.
    fn emit(&self, module: &Module<'_>) -> Result<Code>;

    /// Makes a binary of code with the vendor's assembler; the code itself if there is none.
    fn assemble(&self, code: &[u8]) -> Result<Vec<u8>> {
        Ok(code.to_vec())
    }

    /// MLIR's target attribute.
    fn attribute<'c>(&self, b: &Builder<'c>) -> Attribute<'c>;

    /// Returns true if code is loaded as null-terminated text.
    fn is_text(&self) -> bool;
}

/// LLVM's target machine for a triple that it supports.
pub fn machine(triple: &str, processor: &str, level: OptimizationLevel) -> Result<TargetMachine> {
    let triple = TargetTriple::create(triple);
    let target = Target::from_triple(&triple).map_err(|error| anyhow!("{error}"))?;
    let model = CodeModel::Default;
    target
        .create_target_machine(&triple, processor, "", level, RelocMode::PIC, model)
        .ok_or_else(|| anyhow!("LLVM has no target machine for {triple}"))
}

/// Text that LLVM has emitted, without the zero byte at the end of its buffers.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}
