//! Kernels: the loop nests of a computation on the blocks and threads of a device.
//!
//! ```text
//! scf.parallel (%i) (SMX) {              gpu.launch blocks(%i) threads(%t) {
//!   scf.parallel (%t) (CC) { .. }   ──▶    ..
//! }                                      }
//! ```
//!
//! The layers of a device system have these roles: a grid of blocks in global memory, the threads of a block
//! (optionally in warps) with shared memory, and the private memory of a thread. All threads execute the same steps.
//! The part of a concatenated dimension that a block or thread owns is fixed at the entry of the kernel (`hoist.rs`),
//! so that control flow is uniform: out-of-bounds threads execute the last part with stores predicated off
//! (`parts.rs`). Threads exchange values through shuffles and shared memory between barriers (`threads.rs`,
//! `exchange.rs`), and blocks through global memory between kernels (`launch.rs`, `scans.rs`). Buffers are transferred
//! to the device and back around each computation (`host.rs`); buffers that several computations of a function use stay
//! there (`passes/convert/device_buffers.rs`).
pub mod double_buffer;
pub mod exchange;
pub mod hoist;
pub mod host;
pub mod kernel;
pub mod kernel_memory;
pub mod launch;
pub mod limits;
pub mod linearized;
pub mod parts;
pub mod producers;
pub mod scans;
pub mod threads;

use mdh_dialects::schedule::{
    model::{Placement, Schedule, Step},
    roles::{CoreRole, DEVICE, Memory},
    rules::name,
};

/// Checks that a schedule is for a device, and that results of blocks which other blocks or kernels read are in global
/// memory (rule S11). Errors name the step.
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
            if let Some(obstacle) = elsewhere(&step.placements) {
                return Err(format!(
                    "S11: re-composition step {} is at or outside of the levels mapped to {}, so {obstacle}",
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
        Some(((level, some, other), obstacle)) => Err(format!(
            "S11: the parts of level {} are those of {} in the {some} phase and not in the {other} phase, so the results of the scalar phase go to other blocks, and {obstacle}",
            name(*level),
            blocks
        )),
        None => Ok(()),
    }
}
