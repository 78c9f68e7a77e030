//! Schedules of kernels: for systems of device, shared and register memory, with blocks, perhaps warps, and threads.
//!
//! ```text
//! blocks · warps · threads · loops over tiles of reductions · [copy to shared memory] · registers · loops in a tile
//! ```
//!
//! A search over what each of these does of each dimension (a `Tiling`) under the limits of a [`Device`], ranked by an analytic cost
//! model. What has an extent that is not known has as many blocks as it needs, or loops if it is reduced one part after the other.
mod build;
mod cost;
mod search;
mod tiling;

#[cfg(test)]
mod tests;

use super::{cost::Prediction, default::Setting, device::Device, problem::Problem};
use crate::target::KernelFlavour;
use mdh_dialects::schedule::{
    model::{Schedule, System},
    roles::{CoreRole, MemoryRole},
};
use search::Search;
use tiling::Tiling;

/// The layers of a system of kernels.
pub struct Layers<'a> {
    /// The core layer of the blocks.
    blocks: &'a str,
    /// The core layer of the warps, if the system has one, and the most of them.
    warps: Option<(&'a str, u64)>,
    /// The core layer of the threads, and the most of them in a block or warp.
    threads: (&'a str, u64),
    /// The memory layer of the device.
    global: &'a str,
    /// The memory layer that the threads of a block share.
    shared: &'a str,
    /// The memory layer of the registers.
    registers: &'a str,
    system: &'a System,
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

    /// The device that schedules are made for.
    pub fn device(&self, setting: &Setting) -> Device {
        setting.machine.device.clone().unwrap_or_else(|| {
            KernelFlavour::of_system(self.system).map_or_else(Device::gpu, |kernels| (kernels.usual_device)())
        })
    }
}

/// At most so many schedules, the default first, with what is expected of each; none for a system that no kernels are made for.
pub fn schedules(
    problem: &Problem,
    system: &System,
    setting: &Setting,
    count: usize,
) -> Option<Vec<(Schedule, Prediction)>> {
    let layers = Layers::of(system)?;
    let device = layers.device(setting);
    let search = Search::new(problem, &device, &layers, setting.strict);
    let found = search.run(count).into_iter();
    Some(found.map(|(tiling, expected)| (tiling.schedule(problem, system, &layers), expected)).collect())
}

/// What is expected of a schedule; none for a system that no kernels are made for.
pub fn expected(problem: &Problem, schedule: &Schedule, setting: &Setting) -> Option<(String, Prediction)> {
    let layers = Layers::of(&schedule.system)?;
    let device = layers.device(setting);
    let tiling = Tiling::of(schedule, problem, &layers);
    let expected = cost::Model::new(problem, &device).predict(&tiling, true);
    Some((tiling.describe(&layers), expected.unwrap_or_else(|| unreachable!("limits have been left out of account"))))
}
