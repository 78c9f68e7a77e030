//! What can run the loops: the host, or a device whose kernels the host launches. A row has everything that the passes ask of a target.
pub mod upstream;

use crate::machine::device::Device;
use mdh_dialects::schedule::model::System;
use std::fmt;
use upstream::{BF16, MATH};

/// What runs the loops.
pub struct Target {
    /// What options and command lines call it.
    pub name: &'static str,
    /// What runs the loops, for help texts.
    pub summary: &'static str,
    /// The system that default schedules are made for if none is named.
    pub default_system: &'static str,
    /// What its kernels are like; none if loops run on the host.
    pub kernels: Option<KernelFlavour>,
    /// The passes that make arithmetic of functions of `math`, unless those must be as exact as the C library's (`strict`).
    pub functions: &'static [&'static str],
    /// The passes from kernels, functions of `math` and bf16 to the LLVM dialect.
    pub conversions: &'static [&'static str],
}

/// What kernels of a target are like, and what the passes make for them.
#[derive(Debug)]
pub struct KernelFlavour {
    /// What `mdh compile --emit` calls their code.
    pub code: &'static str,
    /// What it calls the text of their code, where the code is no text.
    pub text: Option<&'static str>,
    /// What the names of the functions begin with by which the host loads and launches them.
    pub entry_points: &'static str,
    /// Whether their code can say which line of the program it is from.
    pub has_lines: bool,
    /// The architecture that they are compiled for if none is named; none where all devices take the same code.
    pub architecture: Option<&'static str>,
    /// The device that schedules are made for if nothing says which.
    pub usual_device: fn() -> Device,
    /// Whether what that device has says something about others.
    pub devices_are_alike: bool,
    /// The memory space of memrefs that the conversion to the LLVM dialect gives pointers to global memory.
    pub global_space: u32,
    /// Whether memory that a launch asks for is an argument of the kernel.
    pub takes_shared_memory: bool,
    /// Whether threads go on while something is copied to shared memory.
    pub copies_ahead: bool,
    /// Whether a thread loads several elements by one instruction.
    pub loads_vectors: bool,
    /// Whether LLVM unrolls innermost reductions of a known length; if not, the compiler of the device does what it likes.
    pub unrolls_reductions: bool,
    /// The attribute that tells how many threads exchange values, where the conversion of kernels requires it.
    pub warp_attribute: Option<&'static str>,
    /// Whether kernels in which no thread waits for others end with a barrier.
    pub ends_with_barrier: bool,
    /// The passes on kernels, before they are cleaned up.
    pub passes: &'static [&'static str],
}

/// All targets; the first is the default.
pub static TARGETS: [Target; 3] = [
    Target {
        name: "cpu",
        summary: "Machine code for this machine",
        default_system: "cpu",
        kernels: None,
        functions: &["mdh-math-functions"],
        conversions: &["mdh-math-calls", MATH, BF16],
    },
    // PTX. Functions in kernels become calls of CUDA's libdevice.
    Target {
        name: "cuda",
        summary: "Kernels on a GPU of NVIDIA",
        default_system: "cuda_wrp",
        kernels: Some(KernelFlavour {
            code: "ptx",
            text: None,
            entry_points: "mdhCuda",
            has_lines: true,
            architecture: Some("sm_80"),
            usual_device: Device::gpu,
            devices_are_alike: true,
            global_space: 0,
            takes_shared_memory: false,
            copies_ahead: true,
            loads_vectors: true,
            unrolls_reductions: true,
            warp_attribute: None,
            ends_with_barrier: false,
            passes: &["mdh-unroll-reductions"],
        }),
        functions: &[],
        conversions: &[
            BF16,
            "gpu.module(convert-scf-to-cf,convert-nvgpu-to-nvvm,convert-gpu-to-nvvm{index-bitwidth=64},\
             convert-vector-to-llvm,convert-ub-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,reconcile-unrealized-casts)",
            "mdh-math-calls",
            MATH,
        ],
    },
    // SPIR-V. Functions in kernels become intrinsics and calls of C functions, which OpenCL has builtins for. The conversion does not
    // know branches, which are made later, and SPIR-V cannot say which products and sums may be rounded once: they are fused before.
    Target {
        name: "opencl",
        summary: "Kernels on any device of OpenCL that takes SPIR-V",
        default_system: "opencl",
        kernels: Some(KernelFlavour {
            code: "spirv",
            text: Some("spirv-assembly"),
            entry_points: "mdhOpencl",
            has_lines: false,
            architecture: None,
            usual_device: Device::processor,
            devices_are_alike: false,
            global_space: 1,
            takes_shared_memory: true,
            copies_ahead: false,
            loads_vectors: false,
            unrolls_reductions: false,
            warp_attribute: Some("intel_reqd_sub_group_size"),
            // Intel's run-time system leaves out threads that it takes to store nothing, and sometimes errs.
            ends_with_barrier: true,
            passes: &["mdh-opencl-memory"],
        }),
        functions: &[],
        conversions: &[
            BF16,
            "mdh-math-calls",
            "gpu.module(math-uplift-to-fma,convert-math-to-llvm)",
            MATH,
            "gpu.module(convert-gpu-to-llvm-spv{use-64bit-index=true})",
        ],
    },
];

impl Target {
    /// The target of a name. The error names those that there are.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        let found = TARGETS.iter().find(|target| target.name == name);
        found.ok_or_else(|| format!("unknown target '{name}': expects {}", listed(TARGETS.iter().map(Self::name))))
    }

    fn name(&self) -> &'static str {
        self.name
    }

    /// The targets with kernels.
    pub fn with_kernels() -> impl Iterator<Item = &'static Self> {
        TARGETS.iter().filter(|target| target.kernels.is_some())
    }
}

impl KernelFlavour {
    /// Those of all targets that have some.
    pub fn all() -> impl Iterator<Item = &'static Self> + Clone {
        TARGETS.iter().filter_map(|target| target.kernels.as_ref())
    }

    /// What `mdh compile --emit` can write of them.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> + use<> {
        [Some(self.code), self.text].into_iter().flatten()
    }

    /// The kernels of the target of a name. The error names the targets that have some.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        let found = Target::with_kernels().find(|target| target.name == name);
        let kernels = found.and_then(|target| target.kernels.as_ref());
        kernels.ok_or_else(|| {
            format!("unknown target '{name}': expects {}", listed(Target::with_kernels().map(Target::name)))
        })
    }

    /// The kernels that a system is for if nothing says which: those of the target whose default system has the same memory, else those
    /// of the first target with kernels.
    pub fn of_system(system: &System) -> Option<&'static Self> {
        let found = Target::with_kernels().find(|target| system.has_memory_of(target.default_system));
        found.or_else(|| Target::with_kernels().next()).and_then(|target| target.kernels.as_ref())
    }
}

impl Default for &Target {
    fn default() -> Self {
        &TARGETS[0]
    }
}

/// No two targets have the same name.
impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Target {}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Names as an error lists them: `cpu, cuda or opencl`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lower::LowerOptions, schedule::ScheduleOptions};
    use mdh_dialects::pass::{OptionDesc, PassOptions};

    #[test]
    fn each_target_can_be_named() {
        for target in &TARGETS {
            assert_eq!(Target::named(target.name), Ok(target));
            assert!(System::builtin(target.default_system).is_some(), "{target:?}");
        }
        // Options of passes have defaults in their text, and no others than the first target.
        let default = |options: &[OptionDesc], field| {
            options.iter().find(|option| option.field == field).map(|option| option.default)
        };
        assert_eq!(default(LowerOptions::TABLE, "target"), Some(TARGETS[0].name));
        assert_eq!(default(ScheduleOptions::TABLE, "system"), Some(TARGETS[0].default_system));
        assert_eq!(Target::named("abacus"), Err("unknown target 'abacus': expects cpu, cuda or opencl".to_owned()));
        assert_eq!(KernelFlavour::named("cpu").err(), Some("unknown target 'cpu': expects cuda or opencl".to_owned()));
    }
}
