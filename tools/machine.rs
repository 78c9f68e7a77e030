//! The machine that a command compiles for: this computer, modified by the target of the program, the processor
//! options, and a file.
use crate::{program::wrong, target::host::Processor};
use anyhow::{Result, anyhow};
use mdh_dialects::ir;
use mdh_passes::machine::{Machine, device::Device};
use melior::ir::Module;
use std::{fs, path::Path};

/// The machine options of a command line.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// A machine description file (`--machine`).
    pub file: Option<&'a Path>,
    /// The target of code, if an option describes its processor (`--triple`, `--cpu`, `--features`).
    pub target: Option<&'a Processor>,
    /// The device that kernels will run on, if known (`--engine`).
    pub device: Option<&'a Device>,
}

impl Options<'_> {
    /// The machine for a program, or for any program. In the order device, program, target, file, each overrides those
    /// before.
    pub fn machine(&self, program: Option<&Module<'_>>) -> Result<Machine> {
        // Another architecture has nothing in common with this computer.
        let base = if self.target.is_none_or(Processor::is_native) { Machine::host() } else { Machine::typical() };
        let mut machine = Machine { device: self.device.cloned(), ..base };
        if let Some(program) = program {
            machine = machine.with_target(ir::op(program.as_operation())).map_err(|error| wrong(program, &error))?;
        }
        if let Some(target) = self.target {
            let features = target.features();
            machine = machine.with_processor(target.name(), &|name| features.iter().any(|feature| feature == name));
        }
        if let Some(path) = self.file {
            let path = path.to_str().ok_or_else(|| anyhow!("the path of the machine is not UTF-8"))?;
            machine = machine.read(path, |path| fs::read_to_string(path)).map_err(anyhow::Error::msg)?;
        }
        Ok(machine)
    }

    /// Sets the machine as the target of the program if the command line describes it.
    pub fn attach(&self, program: &Module<'_>) -> Result<()> {
        if self.file.is_none() && self.target.is_none() && self.device.is_none() {
            return Ok(());
        }
        let machine = self.machine(Some(program))?;
        machine.attach(ir::op(program.as_operation())).map_err(|error| wrong(program, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::host::{ProcessorNames, ProcessorOptions};

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn llvm_says_what_features_mean() {
        let machine = |cpu: &str, features: &str| {
            let features = Some(features.to_owned()).filter(|features| !features.is_empty());
            let names = ProcessorNames { cpu: Some(cpu.to_owned()), features, triple: None };
            let target = Processor::new(&ProcessorOptions { names, ..ProcessorOptions::default() }).unwrap();
            let machine = Options { target: Some(&target), ..Options::default() }.machine(None).unwrap();
            (machine.vector_bits, machine.vector_registers, machine.has_fma, machine.has_masks)
        };
        assert_eq!(machine("x86-64", ""), (128, 16, false, false));
        assert_eq!(machine("x86-64-v3", ""), (256, 16, true, false));
        assert_eq!(machine("skylake-avx512", ""), (512, 32, true, true));
        assert_eq!(machine("znver4", ""), (512, 32, true, true));
        assert_eq!(machine("x86-64-v4", "+avx2,-avx512f"), (256, 16, true, false));
        assert_eq!(machine("x86-64-v4", "-avx2"), (256, 16, true, false));
        assert_eq!(machine("x86-64-v3", "-fma"), (256, 16, false, false));
        assert_eq!(machine("x86-64", "+avx512vl"), (512, 32, true, true));
        assert_eq!(machine("x86-64-v3", "-sse2"), (128, 16, false, false));
    }

    #[test]
    fn another_architecture_has_typical_caches() {
        let machine = |cpu: Option<&str>| {
            let triple = Some("aarch64-linux-gnu".to_owned());
            let names = ProcessorNames { triple, cpu: cpu.map(str::to_owned), features: None };
            let target = Processor::new(&ProcessorOptions { names, ..ProcessorOptions::default() }).unwrap();
            let machine = Options { target: Some(&target), ..Options::default() }.machine(None).unwrap();
            (machine.cores, machine.vector_bits, machine.vector_registers, machine.has_fma, machine.has_masks)
        };
        assert_eq!(machine(None), (Machine::typical().cores, 128, 32, true, false));
        assert_eq!(machine(Some("neoverse-v1")), (Machine::typical().cores, 128, 32, true, true));
    }

    #[test]
    fn the_processor_of_this_computer_has_its_vectors() {
        let target = Processor::new(&ProcessorOptions::default()).unwrap();
        let machine = Options { target: Some(&target), ..Options::default() }.machine(None).unwrap();
        assert_eq!(machine, Machine::host());
    }
}
