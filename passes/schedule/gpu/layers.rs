//! The layers of a system that are mapped to kernels.
use super::{super::tuning::TuningContext, tiling::TilingLevel};
use crate::{machine::device::Device, target::KernelFlavour};
use mdh_dialects::schedule::{
    model::System,
    roles::{CoreRole, MemoryRole},
};

/// The layers of a system of kernels.
pub struct DeviceLayers<'a> {
    /// The core layer of the blocks.
    pub(super) blocks: &'a str,
    /// The core layer of the warps, if the system has one, and the maximum number of warps per block.
    pub(super) warps: Option<(&'a str, u64)>,
    /// The core layer of the threads, and the maximum number of threads per block or warp.
    pub(super) threads: (&'a str, u64),
    /// The global memory of the device.
    pub(super) global: &'a str,
    /// The shared memory of a block.
    pub(super) shared: &'a str,
    /// The registers of a thread.
    pub(super) registers: &'a str,
    pub(super) system: &'a System,
}

impl<'a> DeviceLayers<'a> {
    /// Returns the layers of a system; `None` if no kernels are generated for it.
    pub fn of(system: &'a System) -> Option<Self> {
        let limited = |role: CoreRole| {
            let core = system.core_of(role)?;
            Some((core, system.limit[system.core(core)?]))
        };
        let most = |role: CoreRole| limited(role).map(|(core, limit)| (core, limit.unwrap_or(u64::MAX)));
        // The number of blocks must be unlimited.
        let (blocks, None) = limited(CoreRole::Blocks).filter(|_| system.is_device())? else { return None };
        Some(Self {
            blocks,
            warps: most(CoreRole::Warps),
            threads: most(CoreRole::Threads)?,
            global: system.memory_of(MemoryRole::Global)?,
            shared: system.memory_of(MemoryRole::Shared)?,
            registers: system.memory_of(MemoryRole::Registers)?,
            system,
        })
    }

    /// Returns the level of a tiling that a layer corresponds to, from the tag alone.
    pub(super) fn place(&self, layer: &str) -> TilingLevel {
        match () {
            () if layer == self.blocks => TilingLevel::Blocks,
            () if layer == self.threads.0 => TilingLevel::Threads,
            () if layer == self.global => TilingLevel::Outer,
            () if layer == self.shared => TilingLevel::Inner,
            () if layer == self.registers => TilingLevel::Registers,
            () => TilingLevel::Warps,
        }
    }

    /// Returns the device that schedules are made for.
    pub fn device(&self, tuning: &TuningContext) -> Device {
        tuning.machine.device.clone().unwrap_or_else(|| {
            KernelFlavour::of_system(self.system).map_or_else(Device::gpu, |kernels| (kernels.usual_device)())
        })
    }
}
