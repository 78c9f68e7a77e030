//! What a form of kernels does on the way from LLVM IR to the code of a device.
use anyhow::{Result, anyhow};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
};
use mdh_dialects::ir::{Builder, Op};
use melior::ir::Attribute;

/// Kernels as a device takes them.
pub struct Code {
    /// What is loaded.
    pub code: Vec<u8>,
    /// The same for people to read.
    pub text: String,
}

/// Compiles kernels to a form of code.
pub trait Compiler {
    /// LLVM's machine for this form.
    fn machine(&self) -> &TargetMachine;

    /// The architecture that code is for, if there are several.
    fn architecture(&self) -> Option<&str> {
        None
    }

    /// Changes a kernel, a function of the LLVM dialect, before it is translated.
    fn prepare(&self, _kernel: Op<'_>) {}

    /// Gives the functions that kernels call bodies, or the names that the device knows them by.
    fn resolve<'l>(&self, module: &Module<'l>, context: &'l Context) -> Result<()>;

    /// Optimises the module of all kernels.
    fn optimize(&self, module: &Module<'_>) -> Result<()>;

    /// The code of the module.
    fn emit(&self, module: &Module<'_>) -> Result<Code>;

    /// The attribute of MLIR for this target.
    fn attribute<'c>(&self, b: &Builder<'c>) -> Attribute<'c>;

    /// Whether code is loaded as text, which ends with a zero byte.
    fn is_text(&self) -> bool;
}

/// LLVM's machine of a target that it knows.
pub fn machine(triple: &str, processor: &str, level: OptimizationLevel) -> Result<TargetMachine> {
    let triple = TargetTriple::create(triple);
    let target = Target::from_triple(&triple).map_err(|error| anyhow!("{error}"))?;
    let model = CodeModel::Default;
    target
        .create_target_machine(&triple, processor, "", level, RelocMode::PIC, model)
        .ok_or_else(|| anyhow!("LLVM has no target machine for {triple}"))
}

/// What LLVM writes for a module: its buffers of text end with a zero byte.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}
