//! Compiles kernels to PTX for NVIDIA's driver.
mod asynchronous;
mod libdevice;
mod narrow;
mod occupancy;
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

/// The oldest architecture with all features that kernels use.
const OLDEST: u32 = 70;

/// The first architecture with asynchronous copies to shared memory.
const ASYNCHRONOUS: u32 = 80;

/// Compiles kernels to PTX.
pub struct Ptx {
    machine: TargetMachine,
    architecture: String,
}

impl Ptx {
    /// A compiler for an architecture, by LLVM's name. An error names an unknown one, and the nearest known ones.
    pub fn new(architecture: Option<&str>) -> Result<Self> {
        Target::initialize_nvptx(&InitializationConfig::default());
        let name = architecture.ok_or_else(|| anyhow!("PTX requires an architecture"))?;
        let machine = |processor: &str| compiler::machine(TRIPLE, processor, OptimizationLevel::Aggressive);
        // LLVM itself would terminate the process later.
        let mut known = llvm::processors(&machine("")?);
        if !known.iter().any(|known| known == name) {
            // Architectures that are too old are not suggested.
            known.retain(|name| number(name) >= OLDEST);
        }
        names::check("architecture", name, &known)?;
        ensure!(number(name) >= OLDEST, "kernels require architecture sm_{OLDEST} or later, but got '{name}'");
        Ok(Self { machine: machine(name)?, architecture: name.to_owned() })
    }
}

/// The number in the name of an architecture, such as 90 in `sm_90a`.
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
        // Blocks always have exactly this size (`reqntid`), not at most this size (`maxntid`).
        if let Some(size) = ir::attribute(kernel, "gpu.known_block_size") {
            ir::remove_attribute(kernel, "nvvm.maxntid");
            ir::set_attribute(kernel, "nvvm.reqntid", size);
            // Without it, ptxas reserves registers for more blocks, and spills.
            let blocks = i32::try_from(occupancy::blocks(kernel)).unwrap_or(1);
            ir::set_attribute(kernel, "nvvm.minctasm", ir::Builder::before(kernel).i32_number(blocks));
        }
    }

    fn resolve<'l>(&self, module: &Module<'l>, context: &'l Context) -> Result<()> {
        libdevice::link(module, context)?;
        if number(&self.architecture) < ASYNCHRONOUS {
            asynchronous::expand_asynchronous_copies(module)?;
        }
        Ok(())
    }

    fn optimize(&self, module: &Module<'_>) -> Result<()> {
        let run_passes = |passes: &str| llvm::run_passes(module, passes, &self.machine);
        run_passes("default<O3>,function(infer-address-spaces)")?;
        // Extracts constant offsets of addresses now: the code generator would do it later, and miss some after zero
        // extensions.
        run_passes("function(separate-const-offset-from-gep,slsr,gvn,nary-reassociate,early-cse)")?;
        narrow::narrow(module)?;
        // Loads of neighbors are combined if their alignment is known. The alignment of some follows from their
        // addresses, that of others from these.
        run_passes("function(instsimplify,early-cse,adce,infer-alignment,infer-alignment)")
    }

    fn emit(&self, module: &Module<'_>) -> Result<Code> {
        // The code generator modifies the module.
        let text = self.machine.write_to_memory_buffer(&module.clone(), FileType::Assembly);
        let text = compiler::text(text.map_err(|error| anyhow!("{error}"))?.as_slice());
        Ok(Code { code: text.clone().into_bytes(), text })
    }

    fn assemble(&self, code: &[u8]) -> Result<Vec<u8>> {
        ptxas::assemble(code, &self.architecture)
    }

    fn attribute<'c>(&self, b: &Builder<'c>) -> Attribute<'c> {
        b.nvvm_target(&self.architecture)
    }

    fn is_text(&self) -> bool {
        true
    }
}
