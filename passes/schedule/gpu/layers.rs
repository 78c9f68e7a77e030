//! The layers of a system that kernels use.
use super::{super::setting::Setting, tiling::Place};
use crate::{machine::device::Device, target::KernelFlavour};
use mdh_dialects::schedule::{
    model::System,
    roles::{CoreRole, MemoryRole},
};

/// The layers of a system of kernels.
pub struct Layers<'a> {
    /// The core layer of the blocks.
    pub(super) blocks: &'a str,
    /// The core layer of the warps, if the system has one, and the most of them.
    pub(super) warps: Option<(&'a str, u64)>,
    /// The core layer of the threads, and the most of them in a block or warp.
    pub(super) threads: (&'a str, u64),
    /// The memory layer of the device.
    pub(super) global: &'a str,
    /// The memory layer that the threads of a block share.
    pub(super) shared: &'a str,
    /// The memory layer of the registers.
    pub(super) registers: &'a str,
    pub(super) system: &'a System,
}

impl<'a> Layers<'a> {
    /// The layers of a system; none if kernels are not made for it.
    pub fn of(system: &'a System) -> Option<Self> {
        let limited = |role: CoreRole| {
            let core = system.core_of(role)?;
            Some((core, system.limit[system.core(core)?]))
        };
        let most = |role: CoreRole| limited(role).map(|(core, limit)| (core, limit.unwrap_or(u64::MAX)));
        // As many blocks as there are parts must be possible.
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

    /// What works on a level on one of these layers, for all that its tag says.
    pub(super) fn place(&self, layer: &str) -> Place {
        match () {
            () if layer == self.blocks => Place::Blocks,
            () if layer == self.threads.0 => Place::Threads,
            () if layer == self.global => Place::Outer,
            () if layer == self.shared => Place::Inner,
            () if layer == self.registers => Place::Registers,
            () => Place::Warps,
        }
    }

    /// The device that schedules are made for.
    pub fn device(&self, setting: &Setting) -> Device {
        setting.machine.device.clone().unwrap_or_else(|| {
            KernelFlavour::of_system(self.system).map_or_else(Device::gpu, |kernels| (kernels.usual_device)())
        })
    }
}
