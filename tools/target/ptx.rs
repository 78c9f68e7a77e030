//! Kernels as PTX, which NVIDIA's driver takes.
mod asynchronous;
mod libdevice;
mod narrow;
pub mod ptxas;

use super::{
    compiler::{self, Code, Compiler},
    names,
};
use crate::llvm;
use anyhow::{Result, anyhow, ensure};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    targets::{FileType, InitializationConfig, Target, TargetMachine},
};
use mdh_dialects::ir::{self, Builder, Op};
use melior::ir::Attribute;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The oldest architecture that has everything that kernels use.
const OLDEST: u32 = 70;

/// The first architecture whose threads go on while something is copied to shared memory.
const ASYNCHRONOUS: u32 = 80;

/// Compiles kernels to PTX.
pub struct Ptx {
    machine: TargetMachine,
    architecture: String,
}

impl Ptx {
    /// For an architecture, by LLVM's name. Errors name an unknown one, and the nearest.
    pub fn new(architecture: Option<&str>) -> Result<Self> {
        Target::initialize_nvptx(&InitializationConfig::default());
        let name = architecture.ok_or_else(|| anyhow!("PTX requires an architecture"))?;
        let machine = |processor: &str| compiler::machine(TRIPLE, processor, OptimizationLevel::Aggressive);
        // LLVM itself would end the process later.
        let mut known = llvm::processors(&machine("")?);
        if !known.iter().any(|known| known == name) {
            // Nobody is told to take one that is too old.
            known.retain(|name| number(name) >= OLDEST);
        }
        names::check("architecture", name, &known)?;
        ensure!(number(name) >= OLDEST, "kernels require architecture sm_{OLDEST} or later, but got '{name}'");
        Ok(Self { machine: machine(name)?, architecture: name.to_owned() })
    }
}

/// The number of an architecture, such as 90 of `sm_90a`.
fn number(architecture: &str) -> u32 {
    architecture.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or_default()
}

/// The architecture of a device.
pub fn architecture(device: &mdh_runtime::Device) -> Option<String> {
    let (major, minor) = device.capability.unwrap_or((8, 0));
    Some(format!("sm_{major}{minor}"))
}

impl Compiler for Ptx {
    fn machine(&self) -> &TargetMachine {
        &self.machine
    }

    fn architecture(&self) -> Option<&str> {
        Some(&self.architecture)
    }

    fn prepare(&self, kernel: Op<'_>) {
        // All threads of a block are there, not only at most as many.
        if let Some(size) = ir::attribute(kernel, "gpu.known_block_size") {
            ir::remove_attribute(kernel, "nvvm.maxntid");
            ir::set_attribute(kernel, "nvvm.reqntid", size);
            // Without it, the assembler of PTX keeps registers for more blocks, and spills.
            let one = ir::Builder::before(kernel).i32_number(1);
            ir::set_attribute(kernel, "nvvm.minctasm", one);
        }
    }

    fn resolve<'l>(&self, module: &Module<'l>, context: &'l Context) -> Result<()> {
        libdevice::link(module, context)?;
        if number(&self.architecture) < ASYNCHRONOUS {
            asynchronous::copy_at_once(module)?;
        }
        Ok(())
    }

    fn optimize(&self, module: &Module<'_>) -> Result<()> {
        let run_passes = |passes: &str| llvm::run_passes(module, passes, &self.machine);
        run_passes("default<O3>,function(infer-address-spaces)")?;
        // The code generator would take constants out of addresses later, and not find all of them in extended numbers.
        run_passes("function(separate-const-offset-from-gep,slsr,gvn,nary-reassociate,early-cse)")?;
        narrow::narrow(module)?;
        // Loads of neighbours are put together where they are known to be aligned: some by their addresses, others by those.
        run_passes("function(instsimplify,early-cse,adce,infer-alignment,infer-alignment)")
    }

    fn emit(&self, module: &Module<'_>) -> Result<Code> {
        // The code generator changes the module.
        let text = self.machine.write_to_memory_buffer(&module.clone(), FileType::Assembly);
        let text = compiler::text(text.map_err(|error| anyhow!("{error}"))?.as_slice());
        Ok(Code { code: text.clone().into_bytes(), text })
    }

    fn attribute<'c>(&self, b: &Builder<'c>) -> Attribute<'c> {
        b.nvvm_target(&self.architecture)
    }

    fn is_text(&self) -> bool {
        true
    }
}
