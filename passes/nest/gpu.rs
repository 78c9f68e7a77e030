//! Kernels: the loop nests of a computation on the blocks and threads of a device.
//!
//! ```text
//! scf.parallel (%i) (SMX) {              gpu.launch blocks(%i) threads(%t) {
//!   scf.parallel (%t) (CC) { .. }   ──▶    ..
//! }                                      }
//! ```
//!
//! The layers of a system for devices have the roles of a grid of blocks in global memory, of the threads of a block, perhaps in warps, in
//! memory that they share, and of a thread's own memory. All threads run through the same steps. What a block or thread has for itself, a
//! part of a concatenated dimension, is fixed where the kernel begins (`hoist.rs`), so that it is uniform which loops a thread
//! takes: where a part reaches over the end of a dimension, its thread goes along with the last one and writes nothing
//! (`kernel.rs`). What threads exchange goes through shuffles and shared memory between barriers (`threads.rs`, `exchange.rs`), and what
//! blocks exchange through global memory between kernels (`launch.rs`, `scans.rs`). Buffers go to the device and back around each computation (`host.rs`);
//! what several computations of a function have in common stays there (`../device_buffers.rs`).
pub mod double_buffer;
pub mod exchange;
pub mod held;
pub mod hoist;
pub mod host;
pub mod kernel;
pub mod launch;
pub mod limits;
pub mod numbered;
pub mod parts;
pub mod scans;
pub mod threads;

use mdh_dialects::schedule::{
    model::{Placement, Schedule, Step},
    roles::{CoreRole, DEVICE, Memory},
    rules::name,
};

/// Checks that a schedule is for a device, and that what several blocks compute is where all of them reach that need it. Errors name the step.
pub fn check(schedule: &Schedule) -> Result<(), String> {
    let system = &schedule.system;
    let not_lowered = |role: &CoreRole| matches!(role, CoreRole::Ranks | CoreRole::Devices | CoreRole::Matrix);
    if let Some((core, role)) = system.cores.iter().zip(&system.core_roles).find(|(_, role)| not_lowered(role)) {
        return Err(format!(
            "a kernel requires core layers with the roles blocks, warps and threads, but {core} of @{} has the role {}, which only a host runs",
            system.name,
            role.name()
        ));
    }
    if !system.is_device() {
        return Err(format!("a kernel requires {DEVICE}, but @{} has {}", system.name, system.layers_text()));
    }
    let blocks = system.core_of(CoreRole::Blocks).unwrap_or_default();
    let elsewhere = |placements: &[Placement]| {
        let is_elsewhere = |placement: &&Placement| system.device_memory(&placement.region) != Memory::Global;
        let found = placements.iter().enumerate().find(|(_, placement)| is_elsewhere(placement));
        found.map(|(i, placement)| {
            format!("output buffer {} must be in {}, but is in {}", i + 1, system.outermost(), placement.region)
        })
    };
    let is_block = |step: &Step| schedule.is_block(step.level, &step.tag);
    if let Some(last) = schedule.recompose.iter().rposition(is_block) {
        for step in &schedule.recompose[..=last] {
            if let Some(problem) = elsewhere(&step.placements) {
                return Err(format!(
                    "S11: re-composition step {} is at or outside of the parts of {}, so {problem}",
                    name(step.level),
                    blocks
                ));
            }
        }
    }
    let (scalar, recompose) = schedule.blocks();
    let (some, other) = ("scalar", "re-composition");
    let differing = scalar.iter().find(|level| !recompose.contains(level)).map(|level| (level, some, other));
    let differing =
        differing.or_else(|| recompose.iter().find(|level| !scalar.contains(level)).map(|level| (level, other, some)));
    match differing.zip(elsewhere(&schedule.scalar.writes)) {
        Some(((level, some, other), problem)) => Err(format!(
            "S11: the parts of level {} are those of {} in the {some} phase and not in the {other} phase, so the results of the scalar phase go to other blocks, and {problem}",
            name(*level),
            blocks
        )),
        None => Ok(()),
    }
}
