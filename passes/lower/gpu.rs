//! Kernels: the loop nests of a computation on the blocks and threads of a device.
//!
//! ```text
//! scf.parallel (%i) (SMX) {              gpu.launch blocks(%i) threads(%t) {
//!   scf.parallel (%t) (CC) { .. }   ──▶    ..
//! }                                      }
//! ```
//!
//! The three core and memory layers of a system for devices are the grid and its blocks in global memory, the threads of a block in
//! memory that they share, and a thread's own memory. All threads run through the same steps. What a block or thread has for itself, a
//! part of a concatenated dimension, is fixed where the kernel begins (`hoist.rs`), so that it is uniform which loops a thread
//! takes: where a part reaches over the end of a dimension, its thread goes along with the last one and writes nothing
//! (`kernel.rs`). What threads exchange goes through shuffles and shared memory between barriers (`threads.rs`, `exchange.rs`), and what
//! blocks exchange through global memory between kernels (`launch.rs`). Buffers go to the device and back around each computation (`host.rs`);
//! what several computations of a function have in common stays there (`../device_buffers.rs`).
pub mod double_buffer;
pub mod exchange;
pub mod held;
pub mod hoist;
pub mod host;
pub mod kernel;
pub mod launch;
pub mod threads;

use crate::schedule::model::{Placement, Schedule, System};
use kernel::Kernel;

/// Where the code of a loop nest runs.
#[derive(Clone, Default)]
pub enum Place<'c> {
    /// On the processor, with its buffers.
    #[default]
    Processor,
    /// On the processor, with buffers of a device, which only kernels reach.
    Host,
    /// In a kernel.
    Kernel(Box<Kernel<'c>>),
}

/// A memory layer of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// All blocks reach it.
    Global,
    /// The threads of a block reach it.
    Shared,
    /// A thread's own.
    Private,
}

impl System {
    /// Whether the system is one of a device: memory of the device, of a block and of a thread, and blocks, warps (or none) and threads.
    pub fn is_device(&self) -> bool {
        self.memory.len() == 3 && matches!(self.cores.len(), 2 | 3)
    }

    /// The memory of a device that a region means.
    pub fn device_memory(&self, region: &str) -> Memory {
        match self.region(region) {
            Some(0) => Memory::Global,
            Some(1) => Memory::Shared,
            _ => Memory::Private,
        }
    }
}

/// Checks that a schedule is for a device, and that what several blocks compute is combined where all of them reach. Errors name the step.
pub fn check(schedule: &Schedule) -> Result<(), String> {
    let system = &schedule.system;
    if !system.is_device() {
        return Err(format!(
            "a kernel requires a system with three memory layers and two or three core layers, but @{} has {} and {}",
            system.name,
            system.memory.len(),
            system.cores.len()
        ));
    }
    let of_blocks = |tag: &str| system.cores.first().is_some_and(|core| core == tag);
    let is_last = |step: &&crate::schedule::model::Step| schedule.is_loop(step.level) && of_blocks(&step.tag.layer);
    let Some(last) = schedule.recompose.iter().rposition(|step| is_last(&step)) else { return Ok(()) };
    for step in &schedule.recompose[..=last] {
        let is_elsewhere = |placement: &&Placement| system.device_memory(&placement.region) != Memory::Global;
        if let Some((i, placement)) = step.placements.iter().enumerate().find(|(_, placement)| is_elsewhere(placement))
        {
            return Err(format!(
                "S11: re-composition step {} is at or outside of the parts of {}, so output buffer {} must be in {}, but is in {}",
                crate::schedule::rules::name(step.level),
                system.cores[0],
                i + 1,
                system.memory[0],
                placement.region
            ));
        }
    }
    Ok(())
}
