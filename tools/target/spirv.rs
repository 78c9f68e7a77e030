//! Compiles kernels to SPIR-V for OpenCL drivers.
mod bit_reversal;
mod builtins;
mod pairs;
mod results;
mod widths;

use super::compiler::{self, Code, Compiler};
use crate::llvm;
use anyhow::{Result, anyhow, bail};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    targets::{FileType, TargetMachine},
};
use mdh_dialects::ir::Builder;
use melior::ir::Attribute;

const TRIPLE: &str = "spirv64-unknown-unknown";

/// Number of attempts to get SPIR-V from LLVM in which all result ids are unique.
const ATTEMPTS: usize = 12;

/// Compiles kernels to SPIR-V.
pub struct Spirv {
    machine: TargetMachine,
}

/// Unoptimized code generation: the SPIR-V code generator drops the masks of integers that are not whole bytes, which
/// its loop strength reduction creates.
fn machine() -> Result<TargetMachine> {
    compiler::machine(TRIPLE, "", OptimizationLevel::None)
}

impl Spirv {
    /// A compiler for any device.
    pub fn new() -> Result<Self> {
        llvm::initialize_spirv();
        Ok(Self { machine: machine()? })
    }

    /// Emits a module as a binary or as text.
    fn write(&self, module: &Module<'_>, kind: FileType) -> Result<Vec<u8>> {
        // A retry needs other addresses: memory used by LLVM stays allocated, and more and more free memory is taken.
        let (mut kept, mut taken) = (vec![], vec![]);
        for attempt in 0..ATTEMPTS {
            taken.extend((0..(64 << attempt) - 64).map(|_| Vec::<u8>::with_capacity(1024)));
            // The SPIR-V code generator consumes the module, and a target machine caches its types.
            let (machine, module) = (machine()?, module.clone());
            let code = machine.write_to_memory_buffer(&module, kind).map_err(|error| anyhow!("{error}"))?;
            let mut bytes = code.as_slice().to_vec();
            let is_sound = match kind {
                FileType::Assembly => results::are_unique_in_text(&String::from_utf8_lossy(&bytes)),
                FileType::Object => {
                    // LLVM's buffers end with a zero byte, which is not part of a word.
                    bytes.truncate(bytes.len() / 4 * 4);
                    results::are_unique(&bytes)
                }
            };
            if is_sound {
                return Ok(bytes);
            }
            kept.push((code, module, machine));
        }
        bail!("LLVM writes SPIR-V in which two results have the same id, {ATTEMPTS} times")
    }
}

impl Compiler for Spirv {
    fn machine(&self) -> &TargetMachine {
        &self.machine
    }

    fn resolve<'l>(&self, module: &Module<'l>, _context: &'l Context) -> Result<()> {
        builtins::rename(module);
        Ok(())
    }

    fn optimize(&self, module: &Module<'_>) -> Result<()> {
        // SPIR-V has no long vectors, and OpenCL compilers vectorize over threads.
        let passes = "default<O3>,function(infer-address-spaces),function(scalarizer<load-store>,instcombine<no-verify-fixpoint>)";
        llvm::run_passes(module, passes, &self.machine)?;
        bit_reversal::expand(module)?;
        pairs::expand(module)?;
        widths::widen(module)
    }

    fn emit(&self, module: &Module<'_>) -> Result<Code> {
        let code = self.write(module, FileType::Object)?;
        Ok(Code { code, text: compiler::text(&self.write(module, FileType::Assembly)?) })
    }

    fn attribute<'c>(&self, b: &Builder<'c>) -> Attribute<'c> {
        b.spirv_target()
    }

    fn is_text(&self) -> bool {
        false
    }
}
