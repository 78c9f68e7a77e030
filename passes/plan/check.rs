//! What kernels require of a schedule and of its plan. Errors name the step or the levels, before any statement exists.
use super::{
    DistributedLevel, DistributedLevels, KernelPhase, LoopPlan, PlanNode, PlannedBody, PlannedEntry, PlannedLoop,
};
use crate::target::limits::Limits;
use mdh_dialects::schedule::{
    model::{Placement, Schedule, Step},
    roles::{CoreRole, DEVICE, Memory},
    rules::name,
};

/// Checks that a schedule is for a device, and that results of blocks which other blocks or kernels read are in global
/// memory (rule S11). Errors name the step.
pub fn schedule(schedule: &Schedule) -> Result<(), String> {
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
            if let Some(reason) = elsewhere(&step.placements) {
                return Err(format!(
                    "S11: re-composition step {} is at or outside of the levels mapped to {}, so {reason}",
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
        Some(((level, some, other), reason)) => Err(format!(
            "S11: the parts of level {} are those of {} in the {some} phase and not in the {other} phase, so the results of the scalar phase go to other blocks, and {reason}",
            name(*level),
            blocks
        )),
        None => Ok(()),
    }
}

/// Checks that a block of each kernel has a static number of threads, within the limits of a device.
pub fn threads(plan: &LoopPlan, limits: &Limits) -> Result<(), String> {
    in_body(&plan.body, limits)
}

fn in_body(body: &PlannedBody, limits: &Limits) -> Result<(), String> {
    in_entry(&body.entry, limits)?;
    in_node(&body.node, limits)
}

fn in_entry(entry: &PlannedEntry, limits: &Limits) -> Result<(), String> {
    let kernel = entry.scalar_phase.as_ref().and_then(|phase| phase.kernel.as_ref());
    kernel.map_or(Ok(()), |kernel| in_block(kernel, limits))
}

fn in_node(node: &PlanNode, limits: &Limits) -> Result<(), String> {
    match node {
        // There are no kernels in a kernel.
        PlanNode::Kernel(kernel) => in_block(&kernel.distributed, limits),
        PlanNode::Accumulate(buffer) => in_node(&buffer.node, limits),
        PlanNode::Tile(tile) => in_node(&tile.node, limits),
        PlanNode::Carry(carry) => in_node(&carry.node, limits),
        PlanNode::Loop(planned) => in_parts(planned, limits),
        PlanNode::Leaf { .. } => Ok(()),
    }
}

fn in_parts(planned: &PlannedLoop, limits: &Limits) -> Result<(), String> {
    planned.reduction.as_ref().map_or(Ok(()), |reduction| in_parts(reduction, limits))?;
    match &planned.kernel {
        Some(kernel) => in_block(kernel, limits),
        None => in_body(&planned.body, limits),
    }
}

fn in_block(kernel: &DistributedLevels, limits: &Limits) -> Result<(), String> {
    let Limits { device, threads: most, .. } = limits;
    match kernel.threads {
        None => {
            Err("requires a static number of threads, but a level of threads has ? parts of a dynamic extent"
                .to_owned())
        }
        Some(threads) if threads > *most => {
            let part = |known: &DistributedLevel| {
                let phase = if known.phase == KernelPhase::Scalar { " of the scalar phase" } else { "" };
                Some(format!("{} for level {}{phase}", known.count?, name(known.level)))
            };
            let parts: Vec<_> = kernel.of_threads().filter_map(part).collect();
            Err(format!(
                "requires at most {most} threads in a block on {device}, but the schedule has {threads}: {}",
                parts.join(", ")
            ))
        }
        Some(_) => Ok(()),
    }
}

impl DistributedLevels {
    /// The levels of warps and threads, in the order of their steps.
    pub fn of_threads(&self) -> impl Iterator<Item = &DistributedLevel> {
        self.levels.iter().filter(|known| known.role != CoreRole::Blocks)
    }
}
