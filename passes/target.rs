//! Targets, which run the loops: the host, or a device whose kernels the host launches. A row of the table has all
//! target-dependent properties that the passes use.
pub mod limits;
pub mod upstream;

use crate::machine::device::Device;
use mdh_dialects::schedule::model::System;
use std::fmt;
use upstream::{BF16, MATH};

/// A target.
pub struct Target {
    /// The name in options and command lines.
    pub name: &'static str,
    /// The description in help texts.
    pub summary: &'static str,
    /// The system that default schedules are generated for if none is named.
    pub default_system: &'static str,
    /// Properties of its kernels; `None` if loops run on the host.
    pub kernels: Option<KernelFlavour>,
    /// The passes that expand functions of `math` to arithmetic; skipped in `strict` mode, which requires the accuracy
    /// of the C library.
    pub functions: &'static [&'static str],
    /// The passes that lower kernels, functions of `math` and bf16 to the LLVM dialect.
    pub conversions: &'static [&'static str],
}

/// Properties of the kernels of a target, and of their code generation.
#[derive(Debug)]
pub struct KernelFlavour {
    /// The name of their code in `mdh compile --emit`.
    pub code: &'static str,
    /// The name of the textual form of their code; `None` if the code is text itself.
    pub text: Option<&'static str>,
    /// The name of the binary that the vendor's assembler makes of their code; `None` if devices load the code itself.
    pub assembled: Option<&'static str>,
    /// The prefix of the run-time functions by which the host loads and launches them.
    pub entry_points: &'static str,
    /// True if their code can contain line information of the program.
    pub has_lines: bool,
    /// The architecture that they are compiled for by default; `None` if all devices accept the same code.
    pub architecture: Option<&'static str>,
    /// The device that schedules are generated for by default.
    pub usual_device: fn() -> Device,
    /// True if the properties of that device are representative of others.
    pub devices_are_alike: bool,
    /// The memory space of memrefs that the conversion to the LLVM dialect maps to pointers to global memory.
    pub global_space: u32,
    /// True if callers can pass memory of the device and a stream to functions with kernels.
    pub takes_device_memory: bool,
    /// True if dynamic shared memory of a launch is an argument of the kernel.
    pub takes_shared_memory: bool,
    /// True if copies to shared memory may be asynchronous, so that threads continue during a copy.
    pub copies_ahead: bool,
    /// True if a thread loads several elements by one instruction.
    pub loads_vectors: bool,
    /// True if LLVM unrolls innermost reductions of known length; otherwise the device compiler decides.
    pub unrolls_reductions: bool,
    /// The attribute with the warp size of kernels with shuffles, if the conversion of kernels requires one.
    pub warp_attribute: Option<&'static str>,
    /// True if kernels without synchronization between threads end with a barrier.
    pub ends_with_barrier: bool,
    /// The passes on kernels before cleanup.
    pub passes: &'static [&'static str],
}

/// All targets; the first is the default.
pub static TARGETS: [Target; 3] = [
    Target {
        name: "cpu",
        summary: "Machine code of the host",
        default_system: "cpu",
        kernels: None,
        functions: &["mdh-math-functions"],
        conversions: &["mdh-math-calls", MATH, BF16],
    },
    // PTX. Functions of `math` in kernels become calls of CUDA's libdevice.
    Target {
        name: "cuda",
        summary: "Kernels for NVIDIA GPUs",
        default_system: "cuda",
        kernels: Some(KernelFlavour {
            code: "ptx",
            text: None,
            assembled: Some("cubin"),
            entry_points: "mdhCuda",
            has_lines: true,
            architecture: Some("sm_80"),
            usual_device: Device::gpu,
            devices_are_alike: true,
            global_space: 0,
            takes_device_memory: true,
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
    // SPIR-V. Functions of `math` in kernels become intrinsics and calls of C functions, for which OpenCL has builtins.
    // The conversion does not support branches, which are generated later. SPIR-V cannot express which products and
    // sums may be fused, so they are fused before.
    Target {
        name: "opencl",
        summary: "Kernels for OpenCL devices that accept SPIR-V",
        default_system: "opencl",
        kernels: Some(KernelFlavour {
            code: "spirv",
            text: Some("spirv-assembly"),
            assembled: None,
            entry_points: "mdhOpencl",
            has_lines: false,
            architecture: None,
            usual_device: Device::processor,
            devices_are_alike: false,
            global_space: 1,
            takes_device_memory: false,
            takes_shared_memory: true,
            copies_ahead: false,
            loads_vectors: false,
            unrolls_reductions: false,
            warp_attribute: Some("intel_reqd_sub_group_size"),
            // Intel's OpenCL runtime removes work items that it considers free of stores, and is sometimes wrong.
            ends_with_barrier: true,
            passes: &["mdh-opencl-memory"],
        }),
        functions: &[],
        conversions: &[
            BF16,
            "mdh-math-calls",
            "gpu.module(mdh-opencl-negations,math-uplift-to-fma,convert-math-to-llvm)",
            MATH,
            "gpu.module(convert-gpu-to-llvm-spv{use-64bit-index=true})",
        ],
    },
];

impl Target {
    /// The target with this name. The error lists the targets.
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
    /// The kernel properties of all targets with kernels.
    pub fn all() -> impl Iterator<Item = &'static Self> + Clone {
        TARGETS.iter().filter_map(|target| target.kernels.as_ref())
    }

    /// The forms of their code that `mdh compile --emit` can write.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> + use<> {
        [Some(self.code), self.text, self.assembled].into_iter().flatten()
    }

    /// The kernel properties of the target with this name. The error lists the targets with kernels.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        let found = Target::with_kernels().find(|target| target.name == name);
        let kernels = found.and_then(|target| target.kernels.as_ref());
        kernels.ok_or_else(|| {
            format!("unknown target '{name}': expects {}", listed(Target::with_kernels().map(Target::name)))
        })
    }

    /// The default kernel properties for a system: of the target whose default system has the same memory, else of the
    /// first target with kernels.
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

/// Targets are identified by their names.
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

/// A list of names for an error: `cpu, cuda or opencl`.
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
        // The defaults of pass options are literal texts; they must be those of the first target.
        let default = |options: &[OptionDesc], field| {
            options.iter().find(|option| option.field == field).map(|option| option.default)
        };
        assert_eq!(default(LowerOptions::TABLE, "target"), Some(TARGETS[0].name));
        assert_eq!(default(ScheduleOptions::TABLE, "system"), Some(TARGETS[0].default_system));
        assert_eq!(Target::named("abacus"), Err("unknown target 'abacus': expects cpu, cuda or opencl".to_owned()));
        assert_eq!(KernelFlavour::named("cpu").err(), Some("unknown target 'cpu': expects cuda or opencl".to_owned()));
    }
}
